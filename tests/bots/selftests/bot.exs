IO.puts("ready")
IO.puts("heard " <> String.trim(IO.gets("")))
:eof = IO.gets("")
