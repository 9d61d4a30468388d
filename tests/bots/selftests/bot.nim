echo "ready"
flushFile(stdout)
echo "heard ", readLine(stdin)
flushFile(stdout)
discard readAll(stdin)
