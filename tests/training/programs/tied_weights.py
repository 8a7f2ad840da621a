# SPDX-License-Identifier: Apache-2.0
"""A translator whose embedding of words is also the matrix that its answers are read from."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Translator(nn.Module):
    def __init__(self, words=400, width=64):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(32, width)
        self.body = nn.Transformer(width, 4, 2, 2, 4 * width, batch_first=True)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def embedded(self, words):
        return self.words(words) + self.places(torch.arange(words.shape[1]))

    def forward(self, source, target):
        mask = self.body.generate_square_subsequent_mask(target.shape[1])
        return self.head(self.body(self.embedded(source), self.embedded(target), tgt_mask=mask))


model = Translator()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), amsgrad=True)
warm_up = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1, (step + 1) / 4))
measure = nn.CrossEntropyLoss(ignore_index=0)
truth = Truth(model, optimiser)
for step in range(1, 7):
    source, target = torch.randint(1, 400, (8, 24)), torch.randint(1, 400, (8, 25))
    truth.inputs(source, target)
    optimiser.zero_grad()
    answers = model(source, target[:, :-1])
    loss = measure(answers.reshape(-1, 400), target[:, 1:].reshape(-1))
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    warm_up.step()
    truth.note("after step", step)
