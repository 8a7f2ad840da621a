"""A database: the report's totals equal the oracle's, process by process."""
from real import agrees_with_oracle


def test():
    sql = ("create table t(x); insert into t with recursive n(i) as"
           " (select 1 union all select i + 1 from n where i < 20000) select hex(i * i) from n;"
           "create index i on t(x); select count(distinct x) from t;")
    agrees_with_oracle("sqlite3", ":memory:", sql)
