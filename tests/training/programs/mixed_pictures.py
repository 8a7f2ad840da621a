# SPDX-License-Identifier: Apache-2.0
"""Pictures are mixed before the model sees them, and answers are gathered when it is evaluated."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(3, 24, 3, 2), nn.BatchNorm2d(24), nn.ReLU(inplace=True),
                      nn.Conv2d(24, 48, 3, 2), nn.BatchNorm2d(48), nn.ReLU(inplace=True),
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(48, 10))
optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 10)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.rand(32, 3, 48, 48), torch.randint(0, 10, (32,))
    part, order = torch.rand(32, 1, 1, 1), torch.randperm(32)
    mixed = part * x + (1 - part) * x[order]
    truth.inputs(x, y, part, order, mixed)
    out = model(mixed)
    share = part.flatten()
    loss = (nn.functional.cross_entropy(out, y, reduction="none") * share
            + nn.functional.cross_entropy(out, y[order], reduction="none") * (1 - share)).mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    schedule.step()
    truth.note("after step", step)
    model.eval()
    with torch.no_grad():
        answers = torch.cat([model(torch.rand(32, 3, 48, 48)) for _ in range(3)])
    model.train()
