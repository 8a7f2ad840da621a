# SPDX-License-Identifier: Apache-2.0
"""Shampoo by hand, as a plain class: sums of products are replaced at each step, and their roots at
each second one."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def root(matrix):
    values, vectors = torch.linalg.eigh(matrix + 1e-4 * torch.eye(matrix.shape[0]))
    return vectors @ torch.diag(values.clamp(min=1e-6) ** -0.25) @ vectors.T


class Shampoo:
    def __init__(self, parameters, rate=0.05):
        self.parameters, self.rate, self.steps = list(parameters), rate, 0
        self.left, self.right, self.roots = {}, {}, {}

    @torch.no_grad()
    def step(self):
        for i, p in enumerate(self.parameters):
            if p.ndim != 2:
                p.add_(p.grad, alpha=-self.rate)
                continue
            left, right = p.grad @ p.grad.T, p.grad.T @ p.grad
            self.left[i] = left if i not in self.left else 0.95 * self.left[i] + left
            self.right[i] = right if i not in self.right else 0.95 * self.right[i] + right
            if self.steps % 2 == 0:
                self.roots[i] = root(self.left[i]), root(self.right[i])
            p.add_(self.roots[i][0] @ p.grad @ self.roots[i][1], alpha=-self.rate)
        self.steps += 1

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None


model = nn.Sequential(nn.Linear(64, 192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(),
                      nn.Linear(192, 10))
optimiser = Shampoo(model.parameters())
truth = Truth(model, states=[optimiser.left, optimiser.right, optimiser.roots])
for step in range(1, 7):
    x, y = torch.randn(64, 64), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
