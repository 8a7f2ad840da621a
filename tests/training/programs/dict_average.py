# SPDX-License-Identifier: Apache-2.0
"""An average of the weights in a dictionary, whose tensors are replaced at each step."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.GELU(), nn.Linear(400, 300), nn.GELU(),
                         nn.Linear(300, 10))
average = {name: value.clone() for name, value in model.state_dict().items()}
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimiser, states=[average])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    for name, value in model.state_dict().items():
        average[name] = 0.9 * average[name] + 0.1 * value
    truth.note("after step", step)
