import std.stdio;

void main()
{
    writeln("ready");
    stdout.flush();
    write("heard ", readln());
    stdout.flush();
    while (readln() !is null) { }
}
