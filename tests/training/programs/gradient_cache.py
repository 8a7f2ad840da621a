# SPDX-License-Identifier: Apache-2.0
"""A contrastive loss of a large batch in pieces: all pieces are encoded without a graph, the loss
gives the gradients of their vectors, and each piece is encoded again and goes backward with its
own, as GradCache does it."""
import torch
import torch.nn.functional as F
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(128, 384), nn.GELU(), nn.Linear(384, 256))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


questions, answers = Encoder(), Encoder()
optimiser = torch.optim.AdamW([*questions.parameters(), *answers.parameters()], lr=1e-3)
truth = Truth(nn.ModuleList([questions, answers]), optimiser)


def learn(pairs, step):
    pieces = [pair.chunk(6) for pair in pairs]
    with torch.no_grad():
        q = torch.cat([questions(piece) for piece in pieces[0]]).requires_grad_()
        a = torch.cat([answers(piece) for piece in pieces[1]]).requires_grad_()
    loss = F.cross_entropy(q @ a.T / 0.05, torch.arange(768))
    truth.note("after forward", step)
    loss.backward()
    truth.note("after loss", step)
    cache = q.grad.chunk(6), a.grad.chunk(6)
    for at in range(6):
        for encoder, piece, slope in ((questions, pieces[0][at], cache[0][at]),
                                      (answers, pieces[1][at], cache[1][at])):
            vectors = encoder(piece)
            if at == 4:
                truth.note(f"piece {encoder is answers}", step)
            (vectors * slope).sum().backward()
    truth.note("after backward", step)


for step in range(1, 8):
    pairs = torch.randn(2, 768, 128)
    truth.inputs(pairs)
    optimiser.zero_grad()
    learn(pairs, step)
    optimiser.step()
    truth.note("after step", step)
