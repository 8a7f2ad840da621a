# SPDX-License-Identifier: Apache-2.0
"""Muon by hand: momentum is made orthogonal by Newton and Schulz; AdamW for the rest."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


@torch.no_grad()
def orthogonal(g, steps=5):
    x = g / (g.norm() + 1e-7)
    if g.shape[0] > g.shape[1]:
        x = x.T
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if g.shape[0] > g.shape[1] else x


class Muon(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(p.grad)
                state["momentum"].lerp_(p.grad, 0.05)
                p.add_(orthogonal(p.grad.lerp(state["momentum"], 0.95)), alpha=-group["lr"])


class Both:
    def __init__(self, *all):
        self.all = all
        self.state = {}
        self.param_groups = []

    def step(self):
        for one in self.all:
            one.step()
            self.state.update(one.state)

    def zero_grad(self):
        for one in self.all:
            one.zero_grad()


model = nn.Sequential(nn.Embedding(300, 128), nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128),
                      nn.LayerNorm(128), nn.Linear(128, 300))
wide = [p for p in model[1:].parameters() if p.ndim == 2]
rest = [p for p in model.parameters() if not any(p is w for w in wide)]
optimiser = Both(Muon(wide, dict(lr=0.02)), torch.optim.AdamW(rest))
truth = Truth(model, optimiser)
for step in range(1, 7):
    words, following = torch.randint(0, 300, (4, 32)), torch.randint(0, 300, (4, 32))
    truth.inputs(words, following)
    loss = nn.functional.cross_entropy(model(words).flatten(0, 1), following.flatten())
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
