# SPDX-License-Identifier: Apache-2.0
"""`python -m libmemtrace run train.py`."""
from ._programs import main

if __name__ == "__main__":
    main()
