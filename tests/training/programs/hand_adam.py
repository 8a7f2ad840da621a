# SPDX-License-Identifier: Apache-2.0
"""An Adam that is no optimiser of PyTorch, with a dictionary of states made at its first step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Adam:
    def __init__(self, parameters):
        self.parameters, self.states, self.count = list(parameters), {}, 0

    def step(self):
        self.count += 1
        with torch.no_grad():
            for number, p in enumerate(self.parameters):
                if number not in self.states:
                    self.states[number] = (torch.zeros(p.shape), torch.zeros(p.shape))
                first, second = self.states[number]
                first += 0.1 * (p.grad - first)
                second += 0.001 * (p.grad ** 2 - second)
                p -= 1e-3 * (first / (1 - 0.9 ** self.count)) / (
                    (second / (1 - 0.999 ** self.count)).sqrt() + 1e-8)
                p.grad = None


model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = Adam(model.parameters())
truth = Truth(model, None, states=[optimiser.states])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
