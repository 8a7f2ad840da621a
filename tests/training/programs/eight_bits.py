# SPDX-License-Identifier: Apache-2.0
"""An Adam by hand that keeps its state in eight bits and opens it at each step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Adam8(torch.optim.Optimizer):
    def __init__(self, parameters, lr=1e-3):
        super().__init__(parameters, dict(lr=lr))

    @staticmethod
    def packed(value):
        scale = value.abs().max() / 127 + 1e-12
        return (value / scale).round().to(torch.int8), scale

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                first = state["first"][0].float() * state["first"][1] if state else 0.
                second = state["second"][0].float() * state["second"][1] if state else 0.
                first = 0.9 * first + 0.1 * p.grad
                second = 0.99 * second + 0.01 * p.grad ** 2
                p.sub_(group["lr"] * first / (second.abs().sqrt() + 1e-8))
                state["first"], state["second"] = self.packed(first), self.packed(second)


model = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                      nn.Linear(512, 10))
optimiser = Adam8(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(32, 128), torch.randint(0, 10, (32,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
