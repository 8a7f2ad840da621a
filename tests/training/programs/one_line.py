# SPDX-License-Identifier: Apache-2.0
"""Layers with masks of yes and no are made on one line with a parameter: the masks are buffers."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.all, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def forward(self, x):
        q, k, v = self.all(x).chunk(3, -1)
        weights = (q @ k.transpose(-1, -2)) / 8
        size = x.shape[1]
        weights = weights.masked_fill(~self.mask[:size, :size], float("-inf")).softmax(-1)
        return x + self.out(weights @ v)


def layers(width, length):
    return nn.ModuleList(Attention(width, length) for _ in range(3))


class Model(nn.Module):
    def __init__(self, width=64, length=512):
        super().__init__()
        self.words = nn.Embedding(100, width)
        self.place, self.layers = nn.Parameter(torch.zeros(length, width)), layers(width, length)
        self.head = nn.Linear(width, 100)

    def forward(self, words):
        x = self.words(words) + self.place[:words.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


model = Model()
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    words = torch.randint(0, 100, (4, 33))
    truth.inputs(words)
    loss = nn.functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
