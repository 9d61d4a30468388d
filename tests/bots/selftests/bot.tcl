puts ready
flush stdout
puts "heard [gets stdin]"
flush stdout
read stdin
