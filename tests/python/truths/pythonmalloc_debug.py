# SPDX-License-Identifier: Apache-2.0
"""PYTHONMALLOC=debug."""
# env: PYTHONMALLOC=debug
from many_calls import run

run()
