# SPDX-License-Identifier: Apache-2.0
"""Federated averaging: each client trains a copy of the model, and their weights are averaged."""
import copy

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

server = nn.Sequential(nn.Linear(100, 300), nn.ReLU(), nn.Linear(300, 200), nn.ReLU(),
                       nn.Linear(200, 10))
clients = [(torch.randn(200, 100), torch.randint(0, 10, (200,))) for _ in range(4)]
models = nn.ModuleList([server])
mean = {}
truth = Truth(models, states=[mean], data=clients)


def train(client, step):
    model = copy.deepcopy(server)
    models.append(model)
    optimiser = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    truth.optimiser = optimiser
    for at in range(0, 200, 50):
        x, y = clients[client][0][at:at + 50], clients[client][1][at:at + 50]
        loss = nn.functional.cross_entropy(model(x), y)
        if client == 2 and at == 100:
            truth.note("after forward", step)
        optimiser.zero_grad()
        loss.backward()
        if client == 2 and at == 100:
            truth.note("after backward", step)
        optimiser.step()
    del models[-1]
    truth.optimiser = None
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


for step in range(1, 7):
    weights = [train(client, step) for client in range(4)]
    truth.note("after clients", step)
    mean.update({name: torch.stack([w[name] for w in weights]).mean(0) for name in weights[0]})
    server.load_state_dict(mean)
    truth.note("after average", step)
