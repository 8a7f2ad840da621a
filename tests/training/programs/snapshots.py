# SPDX-License-Identifier: Apache-2.0
"""The best weights so far are kept as a copy, and those of each epoch in a list."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 300), nn.ReLU(), nn.BatchNorm1d(300), nn.Linear(300, 20))
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
data, labels = torch.randn(2048, 64), torch.randint(0, 20, (2048,))
truth.inputs(data, labels)
best, best_loss, history = None, float("inf"), []
step = 0
for epoch in range(5):
    total = 0.0
    for begin in range(0, 2048, 1024):
        step += 1
        x, y = data[begin:begin + 1024], labels[begin:begin + 1024]
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)
        total += loss.item()
    if total < best_loss:
        best, best_loss = copy.deepcopy(model.state_dict()), total
    history.append({name: value.clone() for name, value in model.state_dict().items()})
