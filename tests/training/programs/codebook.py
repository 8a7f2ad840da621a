# SPDX-License-Identifier: Apache-2.0
"""An encoder and a decoder with a book of codes between them, which is a buffer that follows the
data by itself."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Codes(nn.Module):
    def __init__(self, count=256, width=64):
        super().__init__()
        codes = torch.randn(count, width)
        self.register_buffer("codes", codes)
        self.register_buffer("counts", torch.zeros(count))
        self.register_buffer("sums", codes.clone())

    def forward(self, x):
        nearest = torch.cdist(x, self.codes).argmin(1)
        if self.training:
            with torch.no_grad():
                chosen = nn.functional.one_hot(nearest, len(self.codes)).float()
                self.counts.lerp_(chosen.sum(0), 0.01)
                self.sums.lerp_(chosen.T @ x, 0.01)
                self.codes.copy_(self.sums / (self.counts[:, None] + 1e-5))
        found = self.codes[nearest]
        return x + (found - x).detach(), (x - found.detach()).square().mean()


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 64))
        self.codes = Codes()
        self.decoder = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128))

    def forward(self, x):
        found, distance = self.codes(self.encoder(x))
        return self.decoder(found), distance


model = Coder()
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x = torch.randn(128, 128)
    truth.inputs(x)
    answer, distance = model(x)
    loss = nn.functional.mse_loss(answer, x) + 0.25 * distance
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
