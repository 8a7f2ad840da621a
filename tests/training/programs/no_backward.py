# SPDX-License-Identifier: Apache-2.0
"""Evolution: weights are shaken, the model goes forward for each, and the best are mixed: there is
no backward pass at all."""
import torch
from torch import nn
from torch.func import functional_call
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 8)).requires_grad_(False)
x, y = torch.randn(256, 64), torch.randn(256, 8)
momentum = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
truth = Truth(model, states=momentum, data=[x, y])
for step in range(1, 7):
    noise = [{name: torch.randn_like(p) for name, p in model.named_parameters()}
             for _ in range(8)]
    scores = []
    for each in noise:
        shaken = {name: p + 0.02 * each[name] for name, p in model.named_parameters()}
        scores.append(-(functional_call(model, shaken, (x,)) - y).pow(2).mean())
    truth.note("after forward", step)
    ranks = torch.stack(scores).argsort().argsort() / 7 - 0.5
    for name, p in model.named_parameters():
        change = sum(rank * each[name] for rank, each in zip(ranks, noise))
        momentum[name].mul_(0.9).add_(change, alpha=0.1)
        p.add_(momentum[name], alpha=0.05)
    truth.note("after step", step)
