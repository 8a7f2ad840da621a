# SPDX-License-Identifier: Apache-2.0
"""Each word goes to two of eight experts: rows are chosen, computed and added back."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Experts(nn.Module):
    def __init__(self, width=96, experts=8):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))
            for _ in range(experts))

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == number)
            if rows.numel():
                out.index_add_(0, rows, expert(x[rows]) * weights[rows, place].unsqueeze(-1))
        return out


model = nn.Sequential(nn.Linear(32, 96), Experts(), nn.LayerNorm(96), Experts(), nn.Linear(96, 8))
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=True)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(256, 32), torch.randint(0, 8, (256,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    optimiser.zero_grad()
