# SPDX-License-Identifier: Apache-2.0
"""Two processes share the weights as the older FSDP does it: each holds half of one flat tensor."""
import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
import two_ranks
from truth import Truth


def train(rank):
    network = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                            nn.Linear(200, 10))
    model = FullyShardedDataParallel(network, device_id=torch.device("cpu"))
    optimiser = torch.optim.AdamW(model.parameters())
    truth = Truth(list(model.parameters()), optimiser, rank=rank)

    for step in range(1, 7):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        truth.inputs(x, y)
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)


two_ranks.run(train)
