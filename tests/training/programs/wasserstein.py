# SPDX-License-Identifier: Apache-2.0
"""A critic that learns five times for each time that the generator does, with a penalty on the
gradient between real and made pictures (WGAN-GP)."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 32 * 16), nn.ReLU(), nn.Unflatten(1, (32, 4, 4)),
                                 nn.ConvTranspose2d(32, 32, 4, 2, 1), nn.BatchNorm2d(32),
                                 nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Tanh())

    def forward(self, noise):
        return self.net(noise)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 32, 4, 2, 1), nn.LeakyReLU(0.2),
                                 nn.Conv2d(32, 64, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(),
                                 nn.Linear(1024, 1))

    def forward(self, pictures):
        return self.net(pictures)


def penalty(critic, real, made):
    part = torch.rand(real.size(0), 1, 1, 1)
    between = (part * real + (1 - part) * made).requires_grad_(True)
    scores = critic(between)
    slopes = torch.autograd.grad(scores, between, torch.ones_like(scores), create_graph=True,
                                 retain_graph=True, only_inputs=True)[0]
    return ((slopes.view(slopes.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


generator, critic = Generator(), Critic()
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
truth = Truth(nn.ModuleList([generator, critic]), None,
              states=[of_generator.state, of_critic.state])
for step in range(1, 7):
    for round_ in range(5):
        real = torch.randn(64, 1, 16, 16)
        truth.inputs(real)
        noise = torch.randn(64, 64)
        truth.inputs(noise)
        made = generator(noise).detach()
        loss = (critic(made).mean() - critic(real).mean() + 10 * penalty(critic, real, made))
        if round_ == 3:
            truth.note("after critic's forward", step)
        of_critic.zero_grad()
        loss.backward()
        if round_ == 3:
            truth.note("after critic's backward", step)
        of_critic.step()
    noise = torch.randn(64, 64)
    truth.inputs(noise)
    of_generator.zero_grad()
    loss = -critic(generator(noise)).mean()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    of_generator.step()
    truth.note("after step", step)
