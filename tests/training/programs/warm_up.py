# SPDX-License-Identifier: Apache-2.0
"""Q-learning: one loop plays in each round and goes backward as soon as there is enough to replay,
so its first rounds have no backward pass."""
import copy
import random
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 4))
target = copy.deepcopy(model).requires_grad_(False)
optimiser = torch.optim.RMSprop(model.parameters(), 1e-4)
played = []
truth = Truth(model, optimiser, states=[list(target.parameters())], data=[played], steps=(25, 40))
state = torch.randn(64)
for step in range(1, 61):
    with torch.no_grad():
        action = model(state[None]).argmax(1).item()
    following = state * 0.9 + torch.randn(64) * 0.3
    played.append((state, action, float(following[action]), following))
    state = following
    if len(played) < 20:
        continue
    batch = random.choices(played, k=256)
    before, after = (torch.stack([one[i] for one in batch]) for i in (0, 3))
    actions, rewards = (torch.tensor([one[i] for one in batch]) for i in (1, 2))
    truth.inputs(before, after, actions, rewards)
    with torch.no_grad():
        wanted = rewards + 0.99 * target(after).max(1).values
    loss = nn.functional.smooth_l1_loss(model(before).gather(1, actions[:, None])[:, 0], wanted)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    with torch.no_grad():
        for slow, parameter in zip(target.parameters(), model.parameters()):
            slow.mul_(0.995).add_(parameter, alpha=0.005)
