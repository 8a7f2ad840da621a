# SPDX-License-Identifier: Apache-2.0
"""Metrics are added up in tensors from batch to batch: a matrix of confusions, sums of losses, and
the chances of all batches for a curve at the end of the epoch."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)
classes = 24


class Metrics:
    def __init__(self):
        self.matrix = torch.zeros(classes, classes, dtype=torch.long)
        self.loss, self.number = torch.zeros(classes), torch.zeros(classes)
        self.chances, self.labels = [], []

    @torch.no_grad()
    def update(self, scores, labels):
        told = scores.argmax(1)
        self.matrix += torch.bincount(labels * classes + told,
                                      minlength=classes ** 2).reshape(classes, classes)
        each = nn.functional.cross_entropy(scores, labels, reduction="none")
        self.loss.index_add_(0, labels, each)
        self.number += torch.bincount(labels, minlength=classes)
        self.chances.append(scores.softmax(1))
        self.labels.append(labels)

    def compute(self):
        chances, labels = torch.cat(self.chances), torch.cat(self.labels)
        return (chances.argmax(1) == labels).float().mean().item()


model = nn.Sequential(nn.Linear(64, 128), nn.LayerNorm(128), nn.GELU(), nn.Linear(128, classes))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
train_x, train_y = torch.randn(1024, 64), torch.randint(0, classes, (1024,))
truth = Truth(model, optimizer, data=[train_x, train_y], steps=(3, 6))
step = 0
for epoch in range(2):
    metrics = Metrics()
    for start in range(0, 1024, 256):
        step += 1
        xb, yb = train_x[start:start + 256], train_y[start:start + 256]
        optimizer.zero_grad()
        logits = model(xb)
        loss = nn.functional.cross_entropy(logits, yb)
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        optimizer.step()
        metrics.update(logits, yb)
        truth.note("after step", step)
    metrics.compute()
