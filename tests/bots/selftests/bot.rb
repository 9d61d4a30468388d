$stdout.sync = true
puts "ready"
puts "heard #{$stdin.gets}"
$stdin.read
