# SPDX-License-Identifier: Apache-2.0
"""A small transformer of language, trained with AdamW."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Language(nn.Module):
    def __init__(self, words=500, width=128, length=32):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.register_buffer("positions", torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(width, words)

    def forward(self, words):
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1])
        return self.head(self.encoder(self.embedding(words) + self.positions, mask))


model = Language()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
truth = Truth(model, optimiser)
for step in range(1, 7):
    words = torch.randint(0, 500, (8, 32))
    following = torch.randint(0, 500, (8, 32))
    truth.inputs(words, following)
    loss = nn.functional.cross_entropy(model(words).flatten(0, 1), following.flatten())
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
