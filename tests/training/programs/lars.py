# SPDX-License-Identifier: Apache-2.0
"""LARS in the loop itself: gradients of several small batches are added up in a list, cut all at
once, and each layer has a rate by the norms of its weight and gradient."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.ReLU(),
                      nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
                      nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, 100))
params = list(model.parameters())
velocities = [torch.zeros_like(p) for p in params]
truth = Truth(model, states=velocities)
for step in range(1, 7):
    total = None
    for micro in range(3):
        x, y = torch.randn(16, 3, 16, 16), torch.randint(0, 100, (16,))
        truth.inputs(x, y)
        loss = nn.functional.cross_entropy(model(x), y) / 3
        if micro == 2:
            truth.note("after forward", step)
        loss.backward()
    truth.note("after backward", step)
    with torch.no_grad():
        grads = [p.grad for p in params]
        norms = torch._foreach_norm(grads)
        scale = (1.0 / (torch.stack(norms).norm() + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_(grads, scale)
        for p, g, v in zip(params, grads, velocities):
            rate = 0.001 * p.norm() / (g.norm() + 1e-4 * p.norm() + 1e-9)
            v.mul_(0.9).add_(g + 1e-4 * p, alpha=float(rate))
            p.sub_(v)
        del grads, g
    for p in params:
        p.grad = None
    truth.note("after step", step)
