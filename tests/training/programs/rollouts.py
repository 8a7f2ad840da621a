# SPDX-License-Identifier: Apache-2.0
"""Two heads of one model act in many worlds at once; what happened in a round is written into
tensors of a class, advantages are computed backwards, and batches are drawn from all of it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
worlds, length, sees = 32, 24, 48


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(sees, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.acts, self.judges = nn.Linear(128, 6), nn.Linear(128, 1)

    def forward(self, x):
        x = self.body(x)
        return torch.distributions.Categorical(logits=self.acts(x)), self.judges(x).squeeze(-1)


class Rollout:
    def __init__(self):
        self.seen = torch.zeros(length, worlds, sees)
        self.acted = torch.zeros(length, worlds, dtype=torch.long)
        self.chances, self.gains, self.worths, self.advantages = (
            torch.zeros(length, worlds) for _ in range(4))

    def tensors(self):
        return list(vars(self).values())

    @torch.no_grad()
    def gather(self, player, state):
        for t in range(length):
            choice, worth = player(state)
            action = choice.sample()
            self.seen[t], self.acted[t], self.worths[t] = state, action, worth
            self.chances[t] = choice.log_prob(action)
            state = 0.9 * state + 0.1 * torch.randn(worlds, sees)
            self.gains[t] = state[:, 0]
        later = torch.zeros(worlds)
        for t in reversed(range(length - 1)):
            gap = self.gains[t] + 0.99 * self.worths[t + 1] - self.worths[t]
            later = gap + 0.94 * later
            self.advantages[t] = later
        return state


player, rollout = Player(), Rollout()
optimiser = torch.optim.Adam(player.parameters(), lr=3e-4, eps=1e-5)
state = torch.randn(worlds, sees)
truth = Truth(player, optimiser, data=rollout.tensors())
step = 0
for _ in range(4):
    state = rollout.gather(player, state)
    truth.inputs(state)
    order = torch.randperm(worlds * length)
    for drawn in order.split(256):
        step += 1
        seen, acted = rollout.seen.flatten(0, 1)[drawn], rollout.acted.flatten()[drawn]
        before = rollout.chances.flatten()[drawn]
        advantage = rollout.advantages.flatten()[drawn]
        goal = advantage + rollout.worths.flatten()[drawn]
        truth.inputs(order, seen, acted, before, advantage, goal)
        choice, worth = player(seen)
        ratio = (choice.log_prob(acted) - before).exp()
        loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        loss = loss + 0.5 * (worth - goal).pow(2).mean() - 0.01 * choice.entropy().mean()
        truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        nn.utils.clip_grad_norm_(player.parameters(), 0.5)
        optimiser.step()
        truth.note("after step", step)
