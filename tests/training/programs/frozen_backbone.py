# SPDX-License-Identifier: Apache-2.0
"""A head with a sum in it learns on the features of a frozen backbone, which its graph saves; the
program holds them, too."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(400, 400), nn.Tanh(), nn.Linear(400, 400))
        self.last = nn.Linear(400, 10)

    def forward(self, x):
        return self.last(x + self.inner(x))


backbone = nn.Sequential(nn.Linear(64, 800), nn.ReLU(), nn.Linear(800, 400), nn.Tanh())
backbone.requires_grad_(False)
head = Head()
optimiser = torch.optim.Adam(head.parameters())
truth = Truth(nn.ModuleList([backbone, head]), optimiser)
for step in range(1, 9):
    x, y = torch.randn(512, 64), torch.randint(0, 10, (512,))
    truth.inputs(x, y)
    with torch.no_grad():
        features = backbone(x)
    loss = nn.functional.cross_entropy(head(features), y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
