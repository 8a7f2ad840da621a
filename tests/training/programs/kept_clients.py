# SPDX-License-Identifier: Apache-2.0
"""Federated learning with clients that live on: each has a deep copy of the model that it takes the
server's weights into, and hands its change back."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(128, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return self.fc3(torch.relu(self.fc2(x)))


class Client:
    def __init__(self, model, data):
        self.model, self.data = copy.deepcopy(model), data
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def train(self, weights, note):
        self.model.load_state_dict(weights)
        x, y = self.data
        for epoch in range(2):
            for at in range(0, len(x), 64):
                self.optimiser.zero_grad()
                loss = nn.functional.cross_entropy(self.model(x[at:at + 64]), y[at:at + 64])
                if note and epoch == 1 and at == 64:
                    truth.note("after forward", note)
                loss.backward()
                self.optimiser.step()
        return {name: value - weights[name] for name, value in self.model.state_dict().items()}


server = Net()
shards = [(torch.randn(192, 128), torch.randint(0, 10, (192,))) for _ in range(5)]
clients = [Client(server, shard) for shard in shards]
truth = Truth(nn.ModuleList([server, *[client.model for client in clients]]), data=shards)
for step in range(1, 8):
    changes = [client.train(server.state_dict(), step if i == 3 else 0)
               for i, client in enumerate(clients)]
    truth.note("after clients", step)
    with torch.no_grad():
        for name, weight in server.state_dict().items():
            weight += sum(change[name] for change in changes) / len(changes)
    truth.note("after average", step)
