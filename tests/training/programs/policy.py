# SPDX-License-Identifier: Apache-2.0
"""A policy is played without gradients, and then improved from what happened in several rounds."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(32, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.choice, self.worth = nn.Linear(128, 6), nn.Linear(128, 1)

    def forward(self, state):
        x = self.body(state)
        return torch.distributions.Categorical(logits=self.choice(x)), self.worth(x).squeeze(-1)


model = Player()
optimiser = torch.optim.Adam(model.parameters(), lr=3e-4, eps=1e-5)
truth = Truth(model, optimiser)
length, step, state = 256, 0, torch.randn(8, 32)
for _ in range(2):
    states, actions = torch.zeros(length, 8, 32), torch.zeros(length, 8, dtype=torch.long)
    chances, gains, worths = (torch.zeros(length, 8) for _ in range(3))
    truth.inputs(states, actions, chances, gains, worths)
    for at in range(length):
        with torch.no_grad():
            choice, worth = model(state)
            action = choice.sample()
        states[at], actions[at], worths[at] = state, action, worth
        chances[at], gains[at] = choice.log_prob(action).detach(), state[:, 0]
        state = 0.9 * state + 0.1 * torch.randn(8, 32)
    better, last = torch.zeros(length, 8), torch.zeros(8)
    truth.inputs(better)
    for at in reversed(range(length)):
        last = gains[at] - worths[at] + 0.95 * last
        better[at] = last
    for _ in range(3):
        step += 1
        drawn = torch.randperm(length * 8)[:512]
        batch = [part.flatten(0, 1)[drawn] for part in (states, actions, chances, better)]
        truth.inputs(drawn, batch)
        choice, worth = model(batch[0])
        ratio = (choice.log_prob(batch[1]) - batch[2]).exp()
        clipped = ratio.clamp(0.8, 1.2)
        loss = -torch.min(ratio * batch[3], clipped * batch[3]).mean() + worth.square().mean()
        truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)
