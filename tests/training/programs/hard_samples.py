# SPDX-License-Identifier: Apache-2.0
"""The loss of each sample of the data is remembered in a tensor, and harder ones are drawn more
often; the last answers of all samples are kept to be smoothed into labels."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

n, classes = 2000, 50
data, labels = torch.randn(n, 64), torch.randint(0, classes, (n,))
priority = torch.ones(n)
soft = torch.zeros(n, classes).scatter_(1, labels[:, None], 1.0)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, classes))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
truth = Truth(model, optimizer, data=[data, labels, priority, soft])
for step in range(1, 7):
    at = torch.multinomial(priority, 256)
    x, wanted = data[at], soft[at]
    weight = (1 / (n * priority[at] / priority.sum())).clamp(max=5)
    truth.inputs(at, x, wanted, weight)
    scores = model(x)
    each = -(wanted * scores.log_softmax(1)).sum(1)
    loss = (weight * each).mean()
    truth.note("after forward", step)
    optimizer.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    with torch.no_grad():
        priority[at] = each.abs() + 1e-3
        soft[at] = 0.9 * soft[at] + 0.1 * scores.softmax(1)
    truth.note("after step", step)
