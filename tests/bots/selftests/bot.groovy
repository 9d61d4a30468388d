def input = System.in.newReader()
println "ready"
println "heard ${input.readLine()}"
while (input.readLine() != null) { }
