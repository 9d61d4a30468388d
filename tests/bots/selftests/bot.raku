say "ready";
$*OUT.flush;
say "heard " ~ get;
$*OUT.flush;
Nil while get.defined;
