# SPDX-License-Identifier: Apache-2.0
"""The best weights so far are a copy that is made before the training, and replaced by another line
when the validation says so."""
import copy
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                      nn.Linear(256, 64))
optimiser = torch.optim.Adam(model.parameters())
data, valid = torch.randn(2048, 64), torch.randn(512, 64)
truth = Truth(model, optimiser, data=[data, valid], steps=(2, 13, 21))
best, step = copy.deepcopy(model), 0
for epoch in range(6):
    for first in range(0, 2048, 512):
        step += 1
        x = data[first:first + 512]
        loss = (model(x) - x).pow(2).mean()
        truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)
    with torch.no_grad():
        error = (model(valid) - valid).pow(2).mean().item()
    if epoch % 2:
        best = copy.deepcopy(model)
