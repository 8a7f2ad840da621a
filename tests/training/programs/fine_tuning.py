# SPDX-License-Identifier: Apache-2.0
"""The weights come from a file, and take the place of those that the model was made with."""
import io

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def network():
    return nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.BatchNorm1d(400), nn.Linear(400, 200),
                         nn.GELU(), nn.Linear(200, 10))


file = io.BytesIO()
torch.save(network().state_dict(), file)
file.seek(0)
with torch.device("meta"):
    model = network()
model.load_state_dict(torch.load(file), assign=True)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 6)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    schedule.step()
    truth.note("after step", step)
