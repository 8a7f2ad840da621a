# SPDX-License-Identifier: Apache-2.0
"""Sharpness-aware minimisation: the weights climb, and copies from before take their place."""
import torch
from torch import nn
from truth import Truth


class SharpnessAware(torch.optim.Optimizer):
    """Wraps an optimiser, with two passes a step."""

    def __init__(self, parameters, base, radius=0.05):
        super().__init__(parameters, {"radius": radius})
        self.base = base(self.param_groups)

    @torch.no_grad()
    def climb(self):
        weights = [p for group in self.param_groups for p in group["params"]]
        norm = torch.norm(torch.stack([p.grad.norm(2) for p in weights]))
        for p in weights:
            self.state[p]["before"] = p.data.clone()
            p.add_(p.grad * (self.defaults["radius"] / (norm + 1e-12)))
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["before"]
        self.base.step()
        self.zero_grad()


torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = SharpnessAware(model.parameters(), lambda groups: torch.optim.SGD(groups, 0.1, 0.9))
truth = Truth(model, optimiser, states=[optimiser.base.state])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.climb()
    truth.note("after climb", step)
    nn.functional.cross_entropy(model(x), y).backward()
    optimiser.descend()
    truth.note("after step", step)
