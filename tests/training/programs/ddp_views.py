# SPDX-License-Identifier: Apache-2.0
"""Two processes train together. Gradients are views of the buckets that are sent."""
import torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel
import two_ranks
from truth import Truth


def train(rank):
    network = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                            nn.Linear(200, 10))
    model = DistributedDataParallel(network, gradient_as_bucket_view=True)
    optimiser = torch.optim.AdamW(model.parameters())
    truth = Truth(model, optimiser, rank=rank, steps=(3, 6))  # The buckets are made anew at step 2.

    def send(group, bucket):  # does what happens without it, and says where the bucket is
        truth.bucket(bucket.index(), bucket.buffer())
        return allreduce_hook(group, bucket)

    model.register_comm_hook(None, send)
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
