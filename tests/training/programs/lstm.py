# SPDX-License-Identifier: Apache-2.0
"""An LSTM that carries its state from one batch to the next."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(300, 64)
        self.lstm = nn.LSTM(64, 128, num_layers=2, batch_first=True)
        self.head = nn.Linear(128, 12)

    def forward(self, words, state=None):
        outputs, state = self.lstm(self.embedding(words), state)
        return self.head(outputs), state


model = Tagger()
optimiser = torch.optim.Adagrad(model.parameters())
truth = Truth(model, optimiser)
state = None
for step in range(1, 7):
    words, tags = torch.randint(0, 300, (8, 20)), torch.randint(0, 12, (8, 20))
    truth.inputs(words, tags)
    answers, state = model(words, state)
    state = tuple(part.detach() for part in state)
    loss = nn.functional.cross_entropy(answers.flatten(0, 1), tags.flatten())
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
