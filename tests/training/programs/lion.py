# SPDX-License-Identifier: Apache-2.0
"""Lion by hand, with momenta in a dictionary by name that are replaced at each step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def train(model, rounds):
    momenta = {}
    truth = Truth(model, states=[momenta])
    for step in range(1, rounds):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        truth.inputs(x, y)
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        model.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        with torch.no_grad():
            for name, p in model.named_parameters():
                m = momenta.get(name, torch.zeros_like(p))
                p.mul_(0.999).sub_(1e-3 * torch.sign(0.9 * m + 0.1 * p.grad))
                momenta[name] = 0.99 * m + 0.01 * p.grad
        del m
        truth.note("after step", step)


train(nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                    nn.Linear(300, 10)), 7)
