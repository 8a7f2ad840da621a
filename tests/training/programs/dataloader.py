# SPDX-License-Identifier: Apache-2.0
"""Batches come from a DataLoader in the same process; the data set is in memory."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Points(Dataset):
    def __init__(self, count):
        self.points = torch.randn(count, 200)
        self.classes = torch.randint(0, 10, (count,))

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index], self.classes[index]


points = Points(192)
loader = DataLoader(points, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(200, 300), nn.ReLU(), nn.Linear(300, 10))
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser, data=[points.points, points.classes])
for step, (x, y) in enumerate(loader, 1):
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
