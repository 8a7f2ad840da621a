# SPDX-License-Identifier: Apache-2.0
"""Eight models as one: their weights are stacked, and the step is mapped over them."""
import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

models = [nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)) for _ in range(8)]
weights, buffers = stack_module_state(models)
base = models[0].to("meta")
del models
optimiser = torch.optim.Adam(weights.values())
truth = Truth(list(weights.values()), optimiser)


def out_of(weights, buffers, x):
    return functional_call(base, (weights, buffers), (x,))


for step in range(1, 7):
    x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    out = vmap(out_of, in_dims=(0, 0, None), randomness="different")(weights, buffers, x)
    loss = nn.functional.cross_entropy(out.flatten(0, 1), y.repeat(8))
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
