echo ready
read -r line
echo "heard $line"
cat > /dev/null
