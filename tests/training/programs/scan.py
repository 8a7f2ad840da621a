# SPDX-License-Identifier: Apache-2.0
"""A recurrence by hand over 64 moments, cut into pieces, with the state handed on."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Scan(nn.Module):
    def __init__(self, width=64, state=16):
        super().__init__()
        self.decay = nn.Parameter(torch.randn(width, state) - 3)
        self.into, self.out = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.b, self.c = nn.Linear(width, state), nn.Linear(width, state)

    def forward(self, x, h):
        u, gate = self.into(x).chunk(2, -1)
        b, c = self.b(u), self.c(u)
        a = torch.exp(-torch.exp(self.decay))
        ys = []
        for t in range(x.shape[1]):
            h = a * h + u[:, t].unsqueeze(-1) * b[:, t].unsqueeze(1)
            ys.append((h * c[:, t].unsqueeze(1)).sum(-1))
        return self.out(torch.stack(ys, 1) * nn.functional.silu(gate)), h


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.head = Scan(), Scan(), nn.Linear(64, 20)

    def forward(self, x, states):
        x, first = self.one(x, states[0])
        x, second = self.two(x, states[1])
        return self.head(x), [first, second]


model = Model()
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
states = [torch.zeros(8, 64, 16), torch.zeros(8, 64, 16)]
for step in range(1, 7):
    x, y = torch.randn(8, 64, 64), torch.randint(0, 20, (8, 64))
    truth.inputs(x, y)
    out, new = model(x, states)
    loss = nn.functional.cross_entropy(out.flatten(0, 1), y.flatten())
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    states = [state.detach() for state in new]
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
