# SPDX-License-Identifier: Apache-2.0
"""The keys of the last batches are in a list, and all of them together are what each answer is to
differ from; the encoder itself makes them, without their graphs."""
import collections

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

encoder = nn.Sequential(nn.Linear(256, 384), nn.ReLU(), nn.Linear(384, 128))
optimiser = torch.optim.Adam(encoder.parameters(), lr=1e-3)
truth = Truth(encoder, optimiser)
bank = collections.deque(maxlen=4)
for step in range(1, 11):
    x = torch.randn(128, 256)
    one, two = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    truth.inputs(x, one, two)
    q = nn.functional.normalize(encoder(one), dim=1)
    k = nn.functional.normalize(encoder(two), dim=1)
    others = torch.cat([k, *bank])
    loss = nn.functional.cross_entropy(q @ others.T / 0.1, torch.arange(128))
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    bank.append(k.detach().clone())
    truth.note("after step", step)
