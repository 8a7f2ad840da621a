# SPDX-License-Identifier: Apache-2.0
# advice: activations-dominate
# no advice: graph-without-backward
"""Six layers of attention save most at the line of their softmax."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        weights = torch.softmax(scores, 2)  # the largest: batch * length * length
        return x + weights @ x


model = nn.Sequential(*(Attention() for _ in range(6)), nn.Linear(32, 4))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    x = torch.randn(4, 512, 32)
    optimiser.zero_grad()
    model(x).square().mean().backward()
    optimiser.step()
