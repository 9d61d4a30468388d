STDOUT.sync = true
puts "ready"
puts "heard #{gets}"
while gets
end
