# SPDX-License-Identifier: Apache-2.0
"""Two processes share the weights: each holds half of every one, and gathers the others when it
needs them."""
import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
import two_ranks
from truth import Truth


def train(rank):
    network = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                            nn.Linear(200, 10))
    mesh = init_device_mesh("cpu", (2,))
    for layer in network:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    model = fully_shard(network, mesh=mesh)
    optimiser = torch.optim.AdamW(model.parameters())
    halves = [p.to_local() for p in model.parameters()]
    truth = Truth(halves, rank=rank)

    def note(moment, step):
        grads = [p.grad.to_local() for p in model.parameters() if p.grad is not None]
        truth.buckets.clear()
        for number, grad in enumerate(grads):
            truth.bucket(number, grad)
        truth.states = [value.to_local() if hasattr(value, "to_local") else value
                        for state in optimiser.state.values() for value in state.values()]
        truth.note(moment, step)

    for step in range(1, 7):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        truth.inputs(x, y)
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        note("after forward", step)
        loss.backward()
        note("after backward", step)
        optimiser.step()
        note("after step", step)


two_ranks.run(train)
