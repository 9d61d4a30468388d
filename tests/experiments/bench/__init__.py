"""What developers measure: figures of the arena beside the least that such work can cost.
``python -m tests.experiments.bench`` prints them. (`arena bench` says how many matches an hour a
machine plays.)"""
