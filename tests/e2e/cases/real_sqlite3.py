"""A real program: the report's totals equal the oracle's, for every process of it that is recorded."""
import os
import shutil

from harness import PYTHON, SOURCE, expect_oracle, require, skip, trace_with_oracle


def test():
    command = ['sqlite3', ':memory:', 'create table t(x); insert into t with recursive n(i) as (select 1 union all select i+1 from n where i<20000) select hex(i*i) from n; create index i on t(x); select count(distinct x) from t;']
    if not shutil.which(command[0]):
        skip(f"{command[0]} is not installed")
    traced, pairs = trace_with_oracle(command, options="children=all")
    require(traced.dumps, f"no dump: {traced.stderr}")
    for found, counts in pairs:
        expect_oracle(found, counts)
