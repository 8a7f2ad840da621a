# SPDX-License-Identifier: Apache-2.0
"""Hooks keep the features of a frozen network of convolutions, detached, and those of the one that
learns: the difference is a part of the loss."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network(width):
    return nn.Sequential(nn.Conv2d(3, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                         nn.MaxPool2d(2), nn.Conv2d(width, 2 * width, 3, 1, 1),
                         nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(2 * width, 5))


teacher, student = network(64).eval().requires_grad_(False), network(24)
adapter = nn.Conv2d(48, 128, 1)
kept = {}
teacher[4].register_forward_hook(lambda module, given, out: kept.update(teacher=out.detach()))
student[4].register_forward_hook(lambda module, given, out: kept.update(student=out))
optimiser = torch.optim.AdamW([*student.parameters(), *adapter.parameters()])
truth = Truth(nn.ModuleList([student, teacher, adapter]), optimiser)
for step in range(1, 7):
    x, y = torch.rand(32, 3, 24, 24), torch.randint(0, 5, (32,))
    truth.inputs(x, y)
    with torch.no_grad():
        answers = teacher(x)
    scores = student(x)
    loss = nn.functional.cross_entropy(scores, y)
    loss = loss + nn.functional.cross_entropy(scores, answers.softmax(1))
    loss = loss + (adapter(kept["student"]) - kept["teacher"]).pow(2).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
