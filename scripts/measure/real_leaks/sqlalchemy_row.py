# SPDX-License-Identifier: Apache-2.0
"""An attribute that a row does not have: the error's text stays."""
from resident import note
from sqlalchemy import create_engine, text

connection = create_engine("sqlite://").connect()
row = connection.execute(text("select 1 as one")).first()


def has_field(record, name):
    return hasattr(record, name)  # leak


for i in range(150000):
    has_field(row, "missing_%d" % i)
    note(i, 150000)
