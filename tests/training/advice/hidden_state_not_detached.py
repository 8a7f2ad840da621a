# SPDX-License-Identifier: Apache-2.0
# advice: loss-graph-kept
"""A recurrent state goes from batch to batch with its graph, in an evaluation that forgot
no_grad."""
import torch
from torch import nn

torch.set_num_threads(1)

model, head = nn.GRU(64, 128, batch_first=True), nn.Linear(128, 10)
optimiser = torch.optim.Adam([*model.parameters(), *head.parameters()])
state = None
for step in range(40):
    x, y = torch.randn(16, 20, 64), torch.randint(0, 10, (16,))
    out, _ = model(x)
    loss = nn.functional.cross_entropy(head(out[:, -1]), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    _, state = model(torch.randn(16, 20, 64), state)
