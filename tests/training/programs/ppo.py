# SPDX-License-Identifier: Apache-2.0
"""Experience is gathered without gradients, and trained on in several rounds of small batches."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.policy, self.value = nn.Linear(128, 6), nn.Linear(128, 1)

    def forward(self, seen):
        x = self.body(seen)
        return torch.distributions.Categorical(logits=self.policy(x)), self.value(x).squeeze(-1)


model = Actor()
optimiser = torch.optim.Adam(model.parameters(), lr=3e-4, eps=1e-5)
seen = torch.zeros(64, 16, 32)
taken, chances, rewards, values = (torch.zeros(64, 16) for _ in range(4))
truth = Truth(model, optimiser, data=[seen, taken, chances, rewards, values])
step = 0
for round in range(3):
    now = torch.randn(16, 32)
    for t in range(64):
        with torch.no_grad():
            choice, value = model(now)
            action = choice.sample()
        seen[t], taken[t], values[t] = now, action, value
        chances[t] = choice.log_prob(action)
        now, rewards[t] = torch.randn(16, 32), torch.randn(16)
    with torch.no_grad():
        gains, last = torch.zeros(64, 16), 0
        for t in reversed(range(63)):
            last = rewards[t] + 0.99 * values[t + 1] - values[t] + 0.95 * last
            gains[t] = last
    truth.inputs(gains)
    flat = [part.flatten(0, 1) for part in (seen, taken, chances, gains)]
    for part in torch.randperm(1024).chunk(2):
        step += 1
        x, a, old, gain = (whole[part] for whole in flat)
        truth.inputs(x, a, old, gain, part)
        choice, value = model(x)
        ratio = (choice.log_prob(a) - old).exp()
        loss = -(torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)).mean()
        loss = loss + 0.5 * (value - gain).pow(2).mean() - 0.01 * choice.entropy().mean()
        truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)
