# SPDX-License-Identifier: Apache-2.0
"""Shampoo by hand in the loop itself: sums are replaced at each step, their roots at each third."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(),
                      nn.Linear(192, 10))


def root(m):
    values, vectors = torch.linalg.eigh(m + 0.1 * torch.eye(len(m)))
    return (vectors * values.clamp(min=0.01) ** -0.25) @ vectors.T


matrices = [p for p in model.parameters() if p.ndim == 2]
rest = [p for p in model.parameters() if p.ndim != 2]
left = [1e-3 * torch.eye(p.shape[0]) for p in matrices]
right = [1e-3 * torch.eye(p.shape[1]) for p in matrices]
roots = [(None, None)] * len(matrices)
truth = Truth(model, states=[left, right, roots])
for step in range(1, 9):
    x, y = torch.randn(64, 64), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    with torch.no_grad():
        for i, p in enumerate(matrices):
            left[i] = left[i] + p.grad @ p.grad.T
            right[i] = right[i] + p.grad.T @ p.grad
            if step % 3 == 1:
                roots[i] = tuple(root(m) for m in (left[i], right[i]))
            p -= 0.01 * roots[i][0] @ p.grad @ roots[i][1]
        for p in rest:
            p -= 0.01 * p.grad
    model.zero_grad()
    truth.note("after step", step)
