# SPDX-License-Identifier: Apache-2.0
"""A thread makes the next batches while the model goes forward and backward."""
import queue
import threading

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

data, answers = torch.randn(2000, 3, 24, 24), torch.randint(0, 10, (2000,))
model = nn.Sequential(nn.Conv2d(3, 24, 3, 2), nn.ReLU(), nn.Conv2d(24, 48, 3, 2), nn.ReLU(),
                      nn.Flatten(), nn.Linear(48 * 25, 10))
optimiser = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
truth = Truth(model, optimiser, data=[data, answers])
batches = queue.Queue(3)


def produce():
    for _ in range(7):
        index = torch.randperm(2000)[:128]
        x, y = data[index], answers[index]
        x = torch.where(torch.rand(128, 1, 1, 1) < 0.5, x.flip(3), x) + 0.01 * torch.randn_like(x)
        truth.inputs(x, y)
        batches.put((x, y))
        del x, y, index
    batches.put(None)


threading.Thread(target=produce, daemon=True).start()
for step in range(1, 7):
    x, y = batches.get()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
