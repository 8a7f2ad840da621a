# SPDX-License-Identifier: Apache-2.0
"""Three tasks pull in different directions: the gradients of each are made by themselves, what
conflicts is taken out, and their sum is given to the optimiser."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

body = nn.Sequential(nn.Linear(128, 320), nn.ReLU(), nn.Linear(320, 320), nn.ReLU())
heads = nn.ModuleList([nn.Linear(320, 10), nn.Linear(320, 5), nn.Linear(320, 1)])
optimizer = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-3)
shared = list(body.parameters())


def project(grads):
    flat = [torch.cat([g.reshape(-1) for g in of_task]) for of_task in grads]
    out = [g.clone() for g in flat]
    for i, mine in enumerate(out):
        for j, other in enumerate(flat):
            dot = torch.dot(mine, other)
            if i != j and dot < 0:
                mine -= dot / other.norm() ** 2 * other
    return torch.stack(out).sum(0)


truth = Truth(nn.ModuleList([body, heads]), optimizer)
for step in range(1, 7):
    x = torch.randn(192, 128)
    targets = torch.randint(0, 10, (192,)), torch.randint(0, 5, (192,)), torch.randn(192, 1)
    truth.inputs(x, targets)
    features = body(x)
    losses = [nn.functional.cross_entropy(heads[0](features), targets[0]),
              nn.functional.cross_entropy(heads[1](features), targets[1]),
              nn.functional.mse_loss(heads[2](features), targets[2])]
    truth.note("after forward", step)
    optimizer.zero_grad()
    grads = []
    for loss in losses:
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        grads.append([p.grad.clone() for p in shared])
    merged = project(grads)
    del grads, losses, loss, features
    at = 0
    for p in shared:
        p.grad = merged[at:at + p.numel()].view_as(p).clone()
        at += p.numel()
    del merged
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
