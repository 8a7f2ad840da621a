# SPDX-License-Identifier: Apache-2.0
"""Each layer learns by itself: it has a loss and an optimiser of its own, and hands its answer on
without its graph."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Layer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.linear = nn.Linear(i, o)
        self.opt = torch.optim.Adam(self.parameters(), lr=0.01)

    def forward(self, x):
        return torch.relu(self.linear(x / (x.norm(2, 1, keepdim=True) + 1e-4)))

    def learn(self, good, bad):
        g_good, g_bad = self.forward(good).pow(2).mean(1), self.forward(bad).pow(2).mean(1)
        loss = torch.log1p(torch.exp(torch.cat([2 - g_good, g_bad - 2]))).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return self.forward(good).detach(), self.forward(bad).detach()


class AllStates:
    """The optimisers of all layers, as one for the truth."""

    def __init__(self, layers):
        self.layers, self.param_groups = layers, []

    @property
    def state(self):
        return {key: value for layer in self.layers for key, value in layer.opt.state.items()}


layers = nn.ModuleList([Layer(400, 512), Layer(512, 512), Layer(512, 256)])
truth = Truth(layers, AllStates(layers), steps=(2, 5))
for step in range(1, 7):
    good = torch.rand(128, 400)
    bad = good[torch.randperm(128)]
    truth.inputs(good, bad)
    for at, layer in enumerate(layers):
        good, bad = layer.learn(good, bad)
        truth.note(f"after layer {at}", step)
    truth.note("after step", step)
