# SPDX-License-Identifier: Apache-2.0
"""All weights are views of one tensor, and so are the gradients; Adam by hand on the whole."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Linear(300, 300), nn.ReLU(),
                      nn.Linear(300, 10))
sizes = [p.numel() for p in model.parameters()]
flat = torch.empty(sum(sizes))
flat_grad = torch.zeros(sum(sizes))
at = 0
for parameter, size in zip(model.parameters(), sizes):
    flat[at:at + size] = parameter.data.flatten()
    parameter.data = flat[at:at + size].view_as(parameter)
    parameter.grad = flat_grad[at:at + size].view_as(parameter)
    at += size
first, second = torch.zeros_like(flat), torch.zeros_like(flat)
truth = Truth(model, None, states=[first, second])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    flat_grad.zero_()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    with torch.no_grad():
        first.mul_(0.9).add_(flat_grad, alpha=0.1)
        second.mul_(0.999).addcmul_(flat_grad, flat_grad, value=0.001)
        flat.addcdiv_(first, second.sqrt().add_(1e-8), value=-1e-3)
    truth.note("after step", step)
