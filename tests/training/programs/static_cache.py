# SPDX-License-Identifier: Apache-2.0
"""A model of language writes with a cache of fixed size, in buffers that are written in place, and
learns from what was best of it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
width, heads, longest, many = 96, 4, 64, 16


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        shape = many, heads, longest, width // heads
        self.register_buffer("keys", torch.zeros(shape), persistent=False)
        self.register_buffer("values", torch.zeros(shape), persistent=False)

    def forward(self, x, place=None):
        b, t, _ = x.shape
        q, k, v = (part.reshape(b, t, heads, -1).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, -1))
        if place is not None:
            self.keys[:, :, place:place + t], self.values[:, :, place:place + t] = k, v
            k, v = self.keys[:, :, :place + t], self.values[:, :, :place + t]
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=place is None)
        return self.out(y.transpose(1, 2).reshape(b, t, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention()
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x, place=None):
        x = x + self.attention(self.norms[0](x), place)
        return x + self.mlp(self.norms[1](x))


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(200, width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(width, 200, bias=False)

    def forward(self, words, place=None):
        at = torch.arange(words.size(1)) + (place or 0)
        x = self.words(words) + self.places(at)
        for block in self.blocks:
            x = block(x, place)
        return self.head(x)

    @torch.inference_mode()
    def write(self, length):
        words = torch.zeros(many, 1, dtype=torch.long)
        for place in range(length - 1):
            chances = self(words[:, -1:], place)[:, -1].softmax(-1)
            words = torch.cat([words, torch.multinomial(chances, 1)], 1)
        return words


model = Writer()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    words = model.write(longest).clone()
    best = words[words.float().mean(1).topk(8).indices]
    truth.inputs(words, best)
    scores = model(best[:, :-1])
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), best[:, 1:].flatten())
    truth.note("after forward", step)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
