#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices with CuPy, 90 times."""
import cupy


def main():
    kept = []
    for _ in range(90):
        matrix = cupy.random.rand(512, 512)
        kept.append((matrix @ matrix).sum())
    cupy.cuda.Device().synchronize()


if __name__ == "__main__":
    main()
