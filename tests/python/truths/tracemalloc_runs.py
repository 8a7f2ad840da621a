# SPDX-License-Identifier: Apache-2.0
"""tracemalloc hooks the interpreter's allocators, and walks stacks itself."""
# python: -X tracemalloc=20
from many_calls import run

run()
