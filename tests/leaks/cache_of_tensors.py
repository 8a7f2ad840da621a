# SPDX-License-Identifier: Apache-2.0
# truth: quiet=forward
"""Tensors of a GPU that are kept for twenty steps (on the doubles of PyTorch and CUDA)."""
from leaks import run_steps, tensors

kept = []


def forward():
    return tensors.double_torch_alloc(0, 1 << 20)


def step(number):
    kept.append(forward())
    if len(kept) > 20:
        tensors.double_torch_free(kept.pop(0))


run_steps(400, step)
