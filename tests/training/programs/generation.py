# SPDX-License-Identifier: Apache-2.0
"""A language model writes with a cache of keys and values, and is trained on what it wrote."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, cache=None):
        q, k, v = (part.unflatten(-1, (4, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        if cache is not None:
            if cache:
                k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
            cache[:] = [k, v]
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        return self.out(y.transpose(1, 2).flatten(2))


class Language(nn.Module):
    def __init__(self, words=200, width=96):
        super().__init__()
        self.embedding, self.head = nn.Embedding(words, width), nn.Linear(width, words)
        self.layers = nn.ModuleList(Attention(width) for _ in range(3))

    def forward(self, words, caches=None):
        x = self.embedding(words)
        for number, layer in enumerate(self.layers):
            x = x + layer(nn.functional.layer_norm(x, x.shape[-1:]),
                          caches[number] if caches else None)
        return self.head(x)


@torch.no_grad()
def write(model, words, length):
    caches = [[] for _ in model.layers]
    new = words
    for _ in range(length):
        scores = model(new, caches)[:, -1]
        new = torch.multinomial(scores.softmax(-1), 1)
        words = torch.cat([words, new], 1)
    return words


model = Language()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    start = torch.randint(0, 200, (16, 4))
    words = write(model, start, 24)
    truth.inputs(start, words)
    reward = torch.randn(16)
    truth.inputs(reward)
    chances = model(words[:, :-1]).log_softmax(-1)
    taken = chances.gather(-1, words[:, 1:].unsqueeze(-1)).squeeze(-1)
    loss = -(taken.sum(-1) * reward).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
