program Bot;
var
  line: string;
begin
  writeln('ready');
  flush(output);
  readln(line);
  writeln('heard ', line);
  flush(output);
  while not eof do
    readln(line);
end.
