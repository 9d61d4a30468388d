use strict;
use warnings;
$| = 1;
print "ready\n";
print "heard " . <STDIN>;
() = <STDIN>;
