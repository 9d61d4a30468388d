BEGIN { print "ready"; fflush() }
NR == 1 { print "heard " $0; fflush() }
