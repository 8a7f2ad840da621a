# SPDX-License-Identifier: Apache-2.0
# truth: leak=forward:4096
"""A list keeps one tensor of a GPU from each step (on the doubles of PyTorch and CUDA)."""
from leaks import run_steps, tensors

kept = []


def forward():
    return tensors.double_torch_alloc(0, 4096)


def step(number):
    for _ in range(5):
        tensors.double_torch_free(tensors.double_torch_alloc(0, 1 << 20))
    kept.append(forward())


run_steps(400, step)
