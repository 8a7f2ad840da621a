# SPDX-License-Identifier: Apache-2.0
"""python -X dev."""
# python: -X dev
from many_calls import run

run()
