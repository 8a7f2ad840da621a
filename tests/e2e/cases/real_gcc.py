"""A real program: the report's totals equal the oracle's, for every process of it that is recorded."""
import os
import shutil

from harness import PYTHON, SOURCE, expect_oracle, require, skip, trace_with_oracle


def test():
    command = ['gcc', '-O2', '-c', os.path.join(SOURCE, 'tests', 'oracle', 'oracle.c'), '-o', '/dev/null']
    if not shutil.which(command[0]):
        skip(f"{command[0]} is not installed")
    traced, pairs = trace_with_oracle(command, options="children=all")
    require(traced.dumps, f"no dump: {traced.stderr}")
    for found, counts in pairs:
        expect_oracle(found, counts)
