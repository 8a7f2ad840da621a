# SPDX-License-Identifier: Apache-2.0
"""Two views of a batch, an online network with a predictor, and a slow copy whose answers are the
targets of cosine similarity, as BYOL does it."""
import copy

import torch
import torch.nn.functional as F
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Online(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(512, 400), nn.BatchNorm1d(400), nn.ReLU(),
                                     nn.Linear(400, width))
        self.predictor = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, width))

    def forward(self, x):
        return self.predictor(self.encoder(x))


def augmented(x):
    return x + 0.1 * torch.randn_like(x)


def loss_of(predicted, target):
    return 2 - 2 * F.cosine_similarity(predicted, target, dim=-1)


online = Online()
target = copy.deepcopy(online.encoder)
for p in target.parameters():
    p.requires_grad = False
optimiser = torch.optim.Adam(online.parameters(), lr=3e-4)
slow = [list(target.parameters()), list(target.buffers())]
truth = Truth(online, optimiser, states=slow)
images = torch.randn(4096, 512)
truth.inputs(images)
for step in range(1, 9):
    batch = images[torch.randint(0, 4096, (512,))]
    one, two = augmented(batch), augmented(batch)
    truth.inputs(batch, one, two)
    p1, p2 = online(one), online(two)
    with torch.no_grad():
        z1, z2 = target(one), target(two)
    loss = (loss_of(p1, z2.detach()) + loss_of(p2, z1.detach())).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    with torch.no_grad():
        for p, q in zip(online.encoder.parameters(), target.parameters()):
            q.data = 0.99 * q.data + 0.01 * p.data
    truth.note("after step", step)
