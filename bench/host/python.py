#!/usr/bin/env python3
"""Parses a recording with the official Python SDK: python.py FILE"""

import json
import sys
import time

from claude_agent_sdk._internal.message_parser import parse_message

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
best = None
for _ in range(3):
    begin = time.perf_counter()
    for line in lines:
        parse_message(json.loads(line))
    took = time.perf_counter() - begin
    best = took if best is None else min(best, took)
size = sum(len(line) + 1 for line in lines)
print(f"{'parsed into types (official Python SDK)':<44} {best * 1e6 / len(lines):>8.2f} µs a line {size / best / 1e6:>9.0f} MB/s")
