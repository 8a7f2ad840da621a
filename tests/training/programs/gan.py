# SPDX-License-Identifier: Apache-2.0
"""Two networks with an optimiser each: one makes pictures, the other tells them from real ones."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

maker = nn.Sequential(nn.ConvTranspose2d(32, 32, 4), nn.BatchNorm2d(32), nn.ReLU(),
                      nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
                      nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh())
critic = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1),
                       nn.BatchNorm2d(32), nn.LeakyReLU(0.2), nn.Conv2d(32, 1, 4))
of_maker = torch.optim.Adam(maker.parameters(), lr=2e-4, betas=(0.5, 0.999))
of_critic = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
truth = Truth(nn.ModuleList([maker, critic]), of_maker, states=[of_critic.state])
judge = nn.BCEWithLogitsLoss()
for step in range(1, 7):
    real, noise = torch.rand(16, 3, 16, 16), torch.randn(16, 32, 1, 1)
    truth.inputs(real, noise)
    made = maker(noise)
    of_critic.zero_grad()
    on_real = critic(real).flatten()
    on_made = critic(made.detach()).flatten()
    loss = judge(on_real, torch.ones_like(on_real)) + judge(on_made, torch.zeros_like(on_made))
    truth.note("after forward of the critic", step)
    loss.backward()
    truth.note("after backward of the critic", step)
    of_critic.step()
    truth.note("after step of the critic", step)
    of_maker.zero_grad()
    answer = critic(made).flatten()
    loss = judge(answer, torch.ones_like(answer))
    truth.note("after forward of the maker", step)
    loss.backward()
    truth.note("after backward of the maker", step)
    of_maker.step()
    truth.note("after step of the maker", step)
