# SPDX-License-Identifier: Apache-2.0
"""A GRU of sequences of different lengths, in both directions, with packed batches."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(300, 48, padding_idx=0)
        self.gru = nn.GRU(48, 64, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.attention = nn.Linear(128, 1)
        self.head = nn.Linear(128, 5)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True,
                                      enforce_sorted=False)
        outputs, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        weights = self.attention(outputs).squeeze(2).softmax(1)
        return self.head((outputs * weights[:, :, None]).sum(1))


model = Tagger()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimiser)
for step in range(1, 7):
    lengths = torch.randint(8, 30, (16,))
    words = pad_sequence([torch.randint(1, 300, (length,)) for length in lengths.tolist()], True)
    classes = torch.randint(0, 5, (16,))
    truth.inputs(words, lengths, classes)
    loss = nn.functional.cross_entropy(model(words, lengths), classes)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 0.5)
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
