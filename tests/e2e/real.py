# Real programs: every recorded process must agree with the oracle to the byte.
import shutil

from harness import expect_oracle, require, skip, trace_with_oracle


def agrees_with_oracle(*command):
    if not shutil.which(command[0]):
        skip(f"{command[0]} is not installed")
    traced, pairs = trace_with_oracle(command, options="children=all")
    require(pairs, f"no dump: {traced.stderr}")
    for found, counts in pairs:
        expect_oracle(found, counts)
    print(f"{len(pairs)} processes, {sum(found.host['allocations'] for found, _ in pairs)} blocks")
