# SPDX-License-Identifier: Apache-2.0
"""A normalisation by hand, as textbooks write it: the statistics go into a function and come back
new, and the module keeps them in place of the old ones."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def normalise(x, gain, shift, mean, var, training, momentum=0.1):
    if not training:
        return gain * (x - mean) / torch.sqrt(var + 1e-5) + shift, mean, var
    dims = (0,) if x.dim() == 2 else (0, 2, 3)
    now = x.mean(dims, keepdim=True)
    spread = ((x - now) ** 2).mean(dims, keepdim=True)
    y = gain * (x - now) / torch.sqrt(spread + 1e-5) + shift
    mean = (1 - momentum) * mean + momentum * now
    var = (1 - momentum) * var + momentum * spread
    return y, mean.data, var.data


class Norm(nn.Module):
    def __init__(self, width, dims):
        super().__init__()
        shape = (1, width) if dims == 2 else (1, width, 1, 1)
        self.gain, self.shift = nn.Parameter(torch.ones(shape)), nn.Parameter(torch.zeros(shape))
        self.register_buffer("mean", torch.zeros(shape))
        self.register_buffer("var", torch.ones(shape))

    def forward(self, x):
        y, self.mean, self.var = normalise(x, self.gain, self.shift, self.mean, self.var,
                                           self.training)
        return y


model = nn.Sequential(nn.Conv2d(1, 12, 5), Norm(12, 4), nn.Sigmoid(), nn.AvgPool2d(2),
                      nn.Conv2d(12, 24, 3), Norm(24, 4), nn.Sigmoid(), nn.AvgPool2d(2),
                      nn.Flatten(), nn.Linear(600, 6000), Norm(6000, 2), nn.Sigmoid(),
                      nn.Linear(6000, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
truth = Truth(model, optimizer)
for step in range(1, 7):
    x, y = torch.randn(16, 1, 28, 28), torch.randint(0, 10, (16,))
    truth.inputs(x, y)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
