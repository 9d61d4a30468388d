"""What a tree of processes uses, measured from outside."""
