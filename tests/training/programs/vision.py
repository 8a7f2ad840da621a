# SPDX-License-Identifier: Apache-2.0
"""A transformer of pictures with a learned token and learned positions, clipped gradients and a
schedule. Its parts are written by hand."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * self.scale


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inputs = nn.Parameter(torch.randn(3 * width, width) * width ** -0.5)
        self.outputs = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        parts = (x @ self.inputs.T).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        weights = (query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5).softmax(-1)
        return self.outputs((weights @ value).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norms = nn.ModuleList([Norm(width), Norm(width)])
        self.attention = Attention(width, 4)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class Vision(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.empty(1, 65, width))
        nn.init.trunc_normal_(self.positions, std=0.02)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(3)))
        self.head = nn.Linear(width, 10)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(len(x), -1, -1), x), 1) + self.positions
        return self.head(self.blocks(x)[:, 0])


model = Vision()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-3, total_steps=10)
truth = Truth(model, optimiser)
for step in range(1, 7):
    images, classes = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    truth.inputs(images, classes)
    loss = nn.functional.cross_entropy(model(images), classes, label_smoothing=0.1)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    truth.note("after backward", step)
    optimiser.step()
    schedule.step()
    truth.note("after step", step)
