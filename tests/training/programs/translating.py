# SPDX-License-Identifier: Apache-2.0
"""An encoder and a decoder with attention translate word by word, and are told the right word in
half of the cases; what they translate is kept to be shown."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)
WORDS, HIDDEN, LONGEST = 300, 128, 12


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, HIDDEN)
        self.gru = nn.GRU(HIDDEN, HIDDEN, batch_first=True)
        self.dropout = nn.Dropout(0.1)

    def forward(self, given):
        return self.gru(self.dropout(self.embedding(given)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.Wa, self.Ua = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.Va = nn.Linear(HIDDEN, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, HIDDEN)
        self.attention = Attention()
        self.gru = nn.GRU(2 * HIDDEN, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, WORDS)

    def forward(self, encoded, hidden, wanted=None):
        word = torch.zeros(encoded.size(0), 1, dtype=torch.long)
        outputs, looks = [], []
        for i in range(LONGEST):
            embedded = self.embedding(word)
            context, look = self.attention(hidden.permute(1, 0, 2), encoded)
            output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
            outputs.append(self.out(output))
            looks.append(look)
            if wanted is not None:
                word = wanted[:, i].unsqueeze(1)
            else:
                word = outputs[-1].topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), torch.cat(looks, dim=1)


encoder, decoder = Encoder(), Decoder()
criterion = nn.NLLLoss()
optimizers = [torch.optim.Adam(encoder.parameters()), torch.optim.Adam(decoder.parameters())]
truth = Truth(nn.ModuleList([encoder, decoder]), None, states=[o.state for o in optimizers])
shown = []
for step in range(1, 8):
    given, wanted = torch.randint(0, WORDS, (2, 32, LONGEST))
    truth.inputs(given, wanted)
    for optimizer in optimizers:
        optimizer.zero_grad()
    encoded, hidden = encoder(given)
    told = wanted if random.random() < 0.5 else None
    answers, looks = decoder(encoded, hidden, told)
    loss = criterion(answers.view(-1, WORDS), wanted.reshape(-1))
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    for optimizer in optimizers:
        optimizer.step()
    truth.note("after step", step)
    if step % 2 == 0:
        with torch.no_grad():
            answers, looks = decoder(*encoder(given[:4]))
            shown.append((answers.argmax(-1), looks))
