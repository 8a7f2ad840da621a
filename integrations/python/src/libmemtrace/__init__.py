# SPDX-License-Identifier: Apache-2.0
"""memtrace records every allocation of a program, with its call stack, and reports where memory
went. This package brings its programs, and lets a program say where it is:

    libmemtrace.mark("checkpoint written")
    with libmemtrace.phase("epoch 3"):
        train()

If the process is not recorded, the two do nothing.
"""
from ._programs import path_of
from ._marks import is_recorded, mark, phase

__all__ = ["is_recorded", "mark", "path_of", "phase"]
__version__ = "@VERSION@"
