using System;

static class Bot {
    static void Main() {
        Console.WriteLine("ready");
        Console.WriteLine("heard " + Console.ReadLine());
        while (Console.ReadLine() != null) { }
    }
}
