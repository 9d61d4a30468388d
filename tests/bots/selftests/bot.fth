: wait ( -- ) begin pad 80 stdin read-line throw nip 0= until ;
: main ( -- )
  ." ready" cr stdout flush-file throw
  pad 80 stdin read-line throw drop
  ." heard " pad swap type cr stdout flush-file throw
  wait ;
main bye
