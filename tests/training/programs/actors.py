# SPDX-License-Identifier: Apache-2.0
"""Soft actor and critics: two critics with slow copies, an actor that is drawn from, a temperature
that is learned, and an optimiser for each."""
from collections import deque
from copy import deepcopy
import random

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)


def mlp(sizes):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, seen, acts):
        super().__init__()
        self.net = mlp([seen, 256, 256])
        self.mean, self.spread = nn.Linear(256, acts), nn.Linear(256, acts)

    def forward(self, seen):
        hidden = torch.relu(self.net(seen))
        chances = Normal(self.mean(hidden), self.spread(hidden).clamp(-5, 2).exp())
        raw = chances.rsample()
        act = torch.tanh(raw)
        return act, (chances.log_prob(raw) - torch.log(1 - act ** 2 + 1e-6)).sum(-1)


class Critic(nn.Module):
    def __init__(self, seen, acts):
        super().__init__()
        self.q1, self.q2 = mlp([seen + acts, 256, 256, 1]), mlp([seen + acts, 256, 256, 1])

    def forward(self, seen, act):
        both = torch.cat([seen, act], -1)
        return self.q1(both).squeeze(-1), self.q2(both).squeeze(-1)


actor, critic = Actor(24, 6), Critic(24, 6)
target = deepcopy(critic).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
optimisers = [torch.optim.Adam(actor.parameters(), 3e-4), torch.optim.Adam(critic.parameters()),
              torch.optim.Adam([log_alpha])]
truth = Truth(nn.ModuleList([actor, critic]), None,
              states=[[o.state for o in optimisers], list(target.parameters())])
memory = deque(maxlen=1000)
seen = np.random.randn(24).astype(np.float32)
for t in range(600):
    with torch.no_grad():
        act = actor(torch.as_tensor(seen).unsqueeze(0))[0].squeeze(0).numpy()
    after = np.random.randn(24).astype(np.float32)
    memory.append((seen, act, np.float32(random.random()), after))
    seen = after
    if t < 256 or t % 40:
        continue
    step = (t - 240) // 40
    s, a, r, n = (torch.as_tensor(np.stack(part)) for part in zip(*random.sample(memory, 256)))
    truth.inputs(s, a, r, n)
    alpha = log_alpha.exp().detach()
    with torch.no_grad():
        next_act, chance = actor(n)
        q1, q2 = target(n, next_act)
        wanted = r + 0.99 * (torch.min(q1, q2) - alpha * chance)
    q1, q2 = critic(s, a)
    loss = nn.functional.mse_loss(q1, wanted) + nn.functional.mse_loss(q2, wanted)
    truth.note("after critic's forward", step)
    optimisers[1].zero_grad()
    loss.backward()
    truth.note("after critic's backward", step)
    optimisers[1].step()
    for p in critic.parameters():
        p.requires_grad = False
    act, chance = actor(s)
    loss = (alpha * chance - torch.min(*critic(s, act))).mean()
    truth.note("after actor's forward", step)
    optimisers[0].zero_grad()
    loss.backward()
    optimisers[0].step()
    for p in critic.parameters():
        p.requires_grad = True
    loss = -(log_alpha * (chance.detach() - 6)).mean()
    optimisers[2].zero_grad()
    loss.backward()
    optimisers[2].step()
    with torch.no_grad():
        for p, q in zip(critic.parameters(), target.parameters()):
            q.mul_(0.995)
            q.add_(0.005 * p)
    truth.note("after step", step)
