# SPDX-License-Identifier: Apache-2.0
"""Stochastic weight averaging: an average of the weights begins half way, and the statistics of its
norms are computed anew at the end of each epoch."""
import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
                      nn.Conv2d(32, 64, 3, 2, 1), nn.BatchNorm2d(64), nn.ReLU(),
                      nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
average = AveragedModel(model)
scheduler = SWALR(optimizer, swa_lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(96, 3, 24, 24), torch.randint(0, 10, (96,)))
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
truth = Truth(model, optimizer, data=list(data.tensors),
              states=[list(average.parameters()), list(average.buffers())], steps=(2, 8))
step = 0
for epoch in range(4):
    for x, y in loader:
        step += 1
        truth.inputs(x, y)
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        optimizer.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        optimizer.step()
        truth.note("after step", step)
    if epoch >= 1:
        average.update_parameters(model)
        scheduler.step()
        update_bn((x for x, _ in loader), average)
