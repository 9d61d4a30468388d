int main () {
    stdout.printf ("ready\n");
    stdout.flush ();
    stdout.printf ("heard %s\n", stdin.read_line ());
    stdout.flush ();
    while (stdin.read_line () != null) { }
    return 0;
}
