# SPDX-License-Identifier: Apache-2.0
"""A frozen teacher answers without gradients, and a student learns to answer like it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network(width):
    return nn.Sequential(nn.Linear(100, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                         nn.Linear(width, 10))


teacher, student = network(500).eval().requires_grad_(False), network(200)
optimiser = torch.optim.AdamW(student.parameters())
truth = Truth(nn.ModuleList([student, teacher]), optimiser)
for step in range(1, 7):
    x = torch.randn(64, 100)
    truth.inputs(x)
    with torch.no_grad():
        wanted = teacher(x).softmax(1)
    loss = nn.functional.cross_entropy(student(x), wanted)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
