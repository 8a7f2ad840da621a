# SPDX-License-Identifier: Apache-2.0
"""Hooks gather statistics while the model trains: the mean and the spread of what each layer
answers, a histogram, and the largest values, of the last batch and over all."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Statistics:
    def __init__(self, model):
        self.last, self.all = {}, {}
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(self.hook(name))

    def hook(self, name):
        def look(module, given, out):
            with torch.no_grad():
                now = {"mean": out.mean(0), "spread": out.std(0), "most": out.abs().amax(-1),
                       "sample": out[:64].clone(), "pattern": (out > 0).float()}
            self.last[name] = now
            if name not in self.all:
                self.all[name] = {key: torch.zeros_like(value) for key, value in now.items()}
            for key, value in now.items():
                self.all[name][key].mul_(0.9).add_(value, alpha=0.1)
        return look


model = nn.Sequential(nn.Linear(128, 320), nn.ReLU(), nn.Linear(320, 256), nn.ReLU(),
                      nn.Linear(256, 10))
statistics = Statistics(model)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
truth = Truth(model, optimiser)
for step in range(1, 9):
    x, y = torch.randn(256, 128), torch.randint(0, 10, (256,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
