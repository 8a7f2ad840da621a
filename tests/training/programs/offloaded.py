# SPDX-License-Identifier: Apache-2.0
"""What is saved for the backward pass is copied elsewhere, as save_on_cpu does it."""
import weakref

import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser, hooks=False)


def pack(tensor):
    copy = torch.empty_like(tensor)
    copy.copy_(tensor)
    truth.saved.append(weakref.ref(copy))
    return copy


for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda copy: copy):
        loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
