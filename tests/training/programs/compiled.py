# SPDX-License-Identifier: Apache-2.0
# slow
# needs command: g++
"""A model that torch.compile turned into C++."""
import torch
import torch._inductor.config
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
torch._inductor.config.compile_threads = 1


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(100, 400), nn.Linear(400, 10)
        self.norm = nn.LayerNorm(400)

    def forward(self, x):
        return self.last(torch.tanh(self.norm(self.first(x))) * 2)


network = Network()
model = torch.compile(network)
optimiser = torch.optim.AdamW(network.parameters())
truth = Truth(network, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
