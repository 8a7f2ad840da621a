# SPDX-License-Identifier: Apache-2.0
"""Learning by acting: what happened is kept in tensors that batches are drawn from, and a second
network with older weights says what is to be expected."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network():
    return nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                         nn.Linear(128, 4))


player, expected = network(), network()
expected.load_state_dict(player.state_dict())
optimiser = torch.optim.Adam(player.parameters(), lr=1e-3)
states, rewards = torch.zeros(2000, 16), torch.zeros(2000)
actions = torch.zeros(2000, dtype=torch.long)
truth = Truth(nn.ModuleList([player, expected]), optimiser, data=[states, rewards, actions])
state = torch.randn(16)
for step in range(1, 7):
    for at in range((step - 1) * 64, step * 64):
        with torch.no_grad():
            action = player(state[None]).argmax(1)
        states[at], actions[at], rewards[at] = state, action, state[0]
        state = 0.9 * state + 0.1 * torch.randn(16)
    drawn = torch.randint(0, step * 64 - 1, (128,))
    now, then, chosen, gain = states[drawn], states[drawn + 1], actions[drawn], rewards[drawn]
    truth.inputs(drawn, now, then, chosen, gain)
    with torch.no_grad():
        goal = gain + 0.99 * expected(then).max(1).values
    worth = player(now).gather(1, chosen[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(worth, goal)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    if step % 2 == 0:
        expected.load_state_dict(player.state_dict())
