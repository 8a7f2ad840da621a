# SPDX-License-Identifier: Apache-2.0
"""python -X perf makes a piece of machine code for each function, if it supports that."""
# python: -X perf
from many_calls import run

run()
