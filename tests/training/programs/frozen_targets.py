# SPDX-License-Identifier: Apache-2.0
"""A frozen teacher's answers are the target of losses that save them: activations until the
backward pass ends, and results after it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network(width):
    return nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 1000))


teacher, student = network(300).eval().requires_grad_(False), network(100)
middle = nn.Linear(1000, 500)
optimiser = torch.optim.SGD([*student.parameters(), *middle.parameters()], 0.1, momentum=0.9)
truth = Truth(nn.ModuleList([student, middle, teacher]), optimiser)
for step in range(1, 9):
    x = torch.randn(256, 64)
    truth.inputs(x)
    answers = student(x)
    with torch.no_grad():
        wanted = nn.functional.softmax(teacher(x) / 2, dim=-1)
        scores = teacher(x)
    loss = nn.functional.kl_div(nn.functional.log_softmax(answers / 2, dim=-1), wanted,
                                reduction="batchmean")
    loss = loss + nn.functional.mse_loss(answers, scores) + middle(answers).pow(2).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
