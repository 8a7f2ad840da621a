# SPDX-License-Identifier: Apache-2.0
"""An exponential moving average of the weights. It is state of the optimisation: it has the sizes
of the parameters, no gradient is ever made of it, and it changes at each step."""
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                      nn.Linear(200, 10))
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, optimiser, states=[list(average.parameters()), list(average.buffers())])
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    average.update_parameters(model)
    truth.note("after step", step)
