# SPDX-License-Identifier: Apache-2.0
"""PYTHONMALLOC=malloc."""
# env: PYTHONMALLOC=malloc
from many_calls import run

run()
