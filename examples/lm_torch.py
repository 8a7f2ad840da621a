# SPDX-License-Identifier: Apache-2.0
"""The language model of train.py in PyTorch: module, data loader, AdamW."""

import math

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset, RandomSampler


def version():
    return torch.__version__


class Windows(Dataset):
    """Every run of `context` letters, each with the letters that follow."""

    def __init__(self, numbers, context):
        self.numbers = torch.tensor(numbers, dtype=torch.long)
        self.context = context

    def __len__(self):
        return len(self.numbers) - self.context

    def __getitem__(self, start):
        window = self.numbers[start:start + self.context + 1]
        return window[:-1], window[1:]


class Attention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads = heads
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        future = torch.triu(torch.ones(context, context, dtype=torch.bool), diagonal=1)
        self.register_buffer("future", future)

    def forward(self, x):
        batch, length, width = x.shape
        shape = (batch, length, 3, self.heads, width // self.heads)
        query, key, value = self.inputs(x).view(shape).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(self.future[:length, :length], float("-inf"))
        mixed = scores.softmax(dim=-1) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.before_attention = nn.LayerNorm(width)
        self.attention = Attention(width, heads, context)
        self.before_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.mlp(self.before_mlp(x))


class Model(nn.Module):
    def __init__(self, letters, options):
        super().__init__()
        self.letter = nn.Embedding(letters, options.width)
        self.place = nn.Embedding(options.context, options.width)
        self.blocks = nn.ModuleList(Block(options.width, options.heads, options.context)
                                    for _ in range(options.layers))
        self.last = nn.LayerNorm(options.width)
        self.output = nn.Linear(options.width, letters)

    def forward(self, numbers):
        places = torch.arange(numbers.shape[1], device=numbers.device)
        x = self.letter(numbers) + self.place(places)
        for block in self.blocks:
            x = block(x)
        return self.output(self.last(x))


class Trainer:
    def __init__(self, characters, options):
        torch.manual_seed(options.seed)
        self.characters = characters
        self.options = options
        self.model = Model(len(characters.alphabet), options).to(options.device)
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=options.rate)
        order = torch.Generator().manual_seed(options.seed)
        windows = Windows(characters.numbers, options.context)
        sampler = RandomSampler(windows, replacement=True, generator=order,
                                num_samples=options.steps * options.batch)
        self.loader = DataLoader(windows, batch_size=options.batch, sampler=sampler,
                                 num_workers=options.num_workers)

    def losses(self):
        """Yields the loss of each step; taking it runs the step."""
        self.model.train()
        for numbers, following in self.loader:
            yield self.step(numbers.to(self.options.device), following.to(self.options.device))

    def step(self, numbers, following):
        guess = self.model(numbers)
        loss = functional.cross_entropy(guess.flatten(0, 1), following.flatten())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        return loss.item()

    @torch.no_grad()
    def write(self, prompt, length):
        """Continues the prompt with the most likely letter each time."""
        self.model.eval()
        numbers = [self.characters.index[letter] for letter in prompt]
        for _ in range(length):
            seen = torch.tensor([numbers[-self.options.context:]], device=self.options.device)
            numbers.append(int(self.model(seen)[0, -1].argmax()))
        return self.characters.decode(numbers)
