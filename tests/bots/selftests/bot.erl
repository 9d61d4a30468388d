-module(bot).
-export([main/0]).

main() ->
    io:format("ready~n"),
    io:format("heard ~s", [io:get_line("")]),
    eof = io:get_line("").
