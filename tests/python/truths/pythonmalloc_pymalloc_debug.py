# SPDX-License-Identifier: Apache-2.0
"""PYTHONMALLOC=pymalloc_debug."""
# env: PYTHONMALLOC=pymalloc_debug
from many_calls import run

run()
