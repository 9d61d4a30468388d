object Bot {
  def main(args: Array[String]): Unit = {
    println("ready")
    println("heard " + scala.io.StdIn.readLine())
    while (scala.io.StdIn.readLine() != null) {}
  }
}
