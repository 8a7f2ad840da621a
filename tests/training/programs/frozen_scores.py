# SPDX-License-Identifier: Apache-2.0
"""A frozen classifier judges each batch, and its answer is reduced to weights of samples, to the
surest class and to a map of where it looked: results in other sizes than its own."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network(width):
    return nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
                         nn.Conv2d(width, 48, 3, 1, 1), nn.ReLU())


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = network(32), nn.Linear(48, 100)

    def forward(self, x):
        maps = self.body(x)
        return self.head(maps.mean((2, 3))), maps


judge, body = Judge().eval().requires_grad_(False), network(16)
head = nn.Linear(48, 100)
optimiser = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
truth = Truth(nn.ModuleList([judge, body, head]), optimiser)
for step in range(1, 9):
    x = torch.randn(48, 3, 32, 32)
    truth.inputs(x)
    with torch.no_grad():
        scores, maps = judge(x)
        chances = scores.softmax(1)
        sure, labels = chances.max(1)
        places = maps.mean(1, keepdim=True)
        places = places / places.amax((2, 3), keepdim=True).clamp_min(1e-6)
    features = body(x) * places
    answers = head(features.mean((2, 3)))
    loss = (nn.functional.cross_entropy(answers, labels, reduction="none") * sure).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
