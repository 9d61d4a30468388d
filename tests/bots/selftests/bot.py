"""Say a line, answer one, wait for the end."""

import sys

print("ready", flush=True)
print("heard", sys.stdin.readline().strip(), flush=True)
sys.stdin.read()
