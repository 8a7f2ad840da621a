# SPDX-License-Identifier: Apache-2.0
"""A table with columns of words and numbers, in a class that fits, predicts and stops early; the
best weights so far are kept, and predictions of the training go to a list."""
import copy

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Tabular(nn.Module):
    def __init__(self, counts, numbers):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(count, 16) for count in counts])
        self.norm = nn.BatchNorm1d(numbers)
        self.net = nn.Sequential(nn.Linear(16 * len(counts) + numbers, 256), nn.ReLU(),
                                 nn.BatchNorm1d(256), nn.Dropout(0.3), nn.Linear(256, 128),
                                 nn.ReLU(), nn.Linear(128, 1))

    def forward(self, words, numbers):
        parts = [embed(words[:, i]) for i, embed in enumerate(self.embeds)]
        return self.net(torch.cat([*parts, self.norm(numbers)], 1)).squeeze(1)


class Trainer:
    def __init__(self, model, rate=1e-3):
        self.model, self.loss = model, nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=rate)
        self.best, self.best_state, self.step = float("inf"), None, 0
        self.truth = Truth(model, self.optimizer)

    def fit(self, train, valid, epochs):
        for epoch in range(epochs):
            self.model.train()
            predictions, labels = [], []
            for words, numbers, wanted in train:
                self.truth.inputs(words, numbers, wanted)
                self.step += 1
                output = self.model(words, numbers)
                loss = self.loss(output, wanted)
                self.truth.note("after forward", self.step)
                self.optimizer.zero_grad()
                loss.backward()
                self.truth.note("after backward", self.step)
                self.optimizer.step()
                predictions.append(torch.sigmoid(output).detach())
                labels.append(wanted)
                self.truth.note("after step", self.step)
            right = ((torch.cat(predictions) > 0.5) == torch.cat(labels)).float().mean().item()
            loss = self.evaluate(valid)
            if loss < self.best:
                self.best, self.best_state = loss, copy.deepcopy(self.model.state_dict())
        self.model.load_state_dict(self.best_state)
        return right

    def evaluate(self, valid):
        self.model.eval()
        losses = []
        with torch.no_grad():
            for words, numbers, wanted in valid:
                losses.append(self.loss(self.model(words, numbers), wanted).item())
        return float(np.mean(losses))


def table(rows):
    words = np.random.randint(0, 100, (rows, 6))
    numbers = np.random.randn(rows, 20).astype(np.float32)
    wanted = (numbers[:, 0] > 0).astype(np.float32)
    return TensorDataset(torch.tensor(words), torch.tensor(numbers), torch.tensor(wanted))


train_table, valid_table = table(2048), table(512)
trainer = Trainer(Tabular([100] * 6, 20))
trainer.truth.inputs(train_table.tensors, valid_table.tensors)
trainer.fit(DataLoader(train_table, 512, shuffle=True), DataLoader(valid_table, 512), 3)
