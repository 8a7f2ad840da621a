# SPDX-License-Identifier: Apache-2.0
"""A natural gradient: products with a Hessian by two calls of torch.autograd.grad, conjugate
gradients, and a second network that is trained by backward()."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

policy = nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(),
                       nn.Linear(128, 6))
value = nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 1))
optimiser = torch.optim.Adam(value.parameters(), 1e-3)
truth = Truth(nn.ModuleList([policy, value]), optimiser)


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def hessian_product(states, vector):
    log = policy(states).log_softmax(1)
    divergence = (log.detach().exp() * (log.detach() - log)).sum(1).mean()
    first = flat(torch.autograd.grad(divergence, list(policy.parameters()), create_graph=True))
    second = torch.autograd.grad(first @ vector, list(policy.parameters()))
    return flat(second) + 0.1 * vector


def conjugate(states, b, rounds=5):
    x, r, p = torch.zeros_like(b), b.clone(), b.clone()
    for _ in range(rounds):
        product = hessian_product(states, p)
        alpha = (r @ r) / (p @ product)
        x += alpha * p
        fresh = r - alpha * product
        p = fresh + (fresh @ fresh) / (r @ r) * p
        r = fresh
    return x


for step in range(1, 7):
    states, actions, gains = torch.randn(256, 32), torch.randint(0, 6, (256,)), torch.randn(256)
    truth.inputs(states, actions, gains)
    log = policy(states).log_softmax(1).gather(1, actions[:, None]).squeeze(1)
    surrogate = (torch.exp(log - log.detach()) * gains).mean()
    truth.note("after forward", step)
    slope = flat(torch.autograd.grad(surrogate, list(policy.parameters())))
    direction = conjugate(states, slope)
    with torch.no_grad():
        at = 0
        for p in policy.parameters():
            p += 0.01 * direction[at:at + p.numel()].view_as(p)
            at += p.numel()
    del slope, direction, surrogate, log, p
    truth.note("after policy", step)
    for _ in range(3):
        optimiser.zero_grad()
        loss = (value(states).squeeze(1) - gains).square().mean()
        loss.backward()
        optimiser.step()
    truth.note("after step", step)
