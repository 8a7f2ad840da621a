# SPDX-License-Identifier: Apache-2.0
"""A gradient for each sample, cut and summed by hand, as for privacy."""
import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def loss_of(weights, x, y):
    out = functional_call(model, weights, (x.unsqueeze(0),))
    return nn.functional.cross_entropy(out, y.unsqueeze(0))


each = vmap(grad(loss_of), in_dims=(None, 0, 0))
truth = Truth(model, optimiser, hooks=False)
for step in range(1, 7):
    x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
    truth.inputs(x, y)
    weights = {name: p.detach() for name, p in model.named_parameters()}
    grads = each(weights, x, y)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
    scale = (1.0 / (norms + 1e-6)).clamp(max=1.0)
    for name, p in model.named_parameters():
        p.grad = torch.einsum("n,n...->...", scale, grads[name]) / 32 + 0.01 * torch.randn_like(p)
    del grads
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
    truth.note("after forward", step)
