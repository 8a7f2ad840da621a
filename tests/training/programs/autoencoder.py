# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder with transposed convolutions, skip connections and group norms."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Autoencoder(nn.Module):
    def __init__(self, width=32, code=64):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, width, 4, 2, 1), nn.Conv2d(width, width, 4, 2, 1)])
        self.norms = nn.ModuleList([nn.GroupNorm(8, width), nn.GroupNorm(8, width)])
        self.mean, self.spread = nn.Linear(width * 64, code), nn.Linear(width * 64, code)
        self.open = nn.Linear(code, width * 64)
        self.up = nn.ModuleList([nn.ConvTranspose2d(width, width, 4, 2, 1),
                                 nn.ConvTranspose2d(2 * width, 3, 4, 2, 1)])

    def forward(self, x):
        kept = []
        for layer, norm in zip(self.down, self.norms):
            x = nn.functional.silu(norm(layer(x)), inplace=True)
            kept.append(x)
        mean, spread = self.mean(x.flatten(1)), self.spread(x.flatten(1))
        code = mean + torch.randn_like(spread) * (0.5 * spread).exp()
        x = self.up[0](self.open(code).unflatten(1, (-1, 8, 8)))
        x = self.up[1](torch.cat([x, kept[0]], 1))
        return x.sigmoid(), mean, spread


model = Autoencoder()
optimiser = torch.optim.RMSprop(model.parameters(), lr=1e-4, momentum=0.9)
truth = Truth(model, optimiser)
for step in range(1, 7):
    pictures = torch.rand(16, 3, 32, 32)
    truth.inputs(pictures)
    made, mean, spread = model(pictures)
    loss = nn.functional.mse_loss(made, pictures, reduction="sum")
    loss = loss - 0.5 * (1 + spread - mean ** 2 - spread.exp()).sum()
    truth.note("after forward", step)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
