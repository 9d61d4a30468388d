fun main() {
    println("ready")
    println("heard ${readLine()}")
    while (readLine() != null) { }
}
