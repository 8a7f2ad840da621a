# SPDX-License-Identifier: Apache-2.0
# advice: graph-without-backward
"""The model is evaluated after each epoch, and no_grad was forgotten: each answer has a graph."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 400), nn.ReLU(),
                      nn.Linear(400, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
held_out = torch.randn(4, 512, 100), torch.randint(0, 10, (4, 512))


def evaluate():
    model.eval()
    right = 0
    for x, y in zip(*held_out):
        answers = model(x)
        right += (answers.argmax(1) == y).sum().item()
    model.train()
    return right / 2048


for epoch in range(3):
    for step in range(4):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimiser.step()
    evaluate()
