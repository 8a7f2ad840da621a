# SPDX-License-Identifier: Apache-2.0
"""Two processes train together, and each keeps the optimiser's state for half of the weights."""
import datetime
import subprocess
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from truth import Truth


def train(rank, meeting):
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2,
                            timeout=datetime.timedelta(minutes=5))
    network = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                            nn.Linear(200, 10))
    model = DistributedDataParallel(network, gradient_as_bucket_view=True)
    optimiser = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)
    truth = Truth(model, None, rank=rank, steps=(3, 6))  # The buckets are made anew at step 2.

    def send(group, bucket):  # does what happens without it, and says where the bucket is
        truth.bucket(bucket.index(), bucket.buffer())
        return allreduce_hook(group, bucket)

    model.register_comm_hook(None, send)
    for step in range(1, 7):
        x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
        truth.inputs(x, y)
        truth.states = list(optimiser.optim.state.values())
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)
    dist.destroy_process_group()


if len(sys.argv) > 1:
    train(1, sys.argv[1])
else:
    with tempfile.TemporaryDirectory() as folder:
        other = subprocess.Popen([sys.executable, __file__, f"{folder}/meeting"])
        try:
            train(0, f"{folder}/meeting")
        except BaseException:
            other.kill()  # It would wait for this process.
            raise
        sys.exit(other.wait())
