# SPDX-License-Identifier: Apache-2.0
"""python -OO: no docstrings, no assertions."""
# python: -OO -B
from many_calls import run

run()
