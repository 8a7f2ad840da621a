# SPDX-License-Identifier: Apache-2.0
"""Nothing is changed in place: torch.func gives the gradients, and each step makes new weights."""
import torch
from torch import nn
from torch.func import functional_call, grad_and_value
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.Tanh(), nn.Linear(400, 200), nn.Tanh(),
                      nn.Linear(200, 10))


def loss_of(weights, x, y):
    return nn.functional.mse_loss(functional_call(model, weights, (x,)), y)


weights = {name: value.detach().clone() for name, value in model.named_parameters()}
known = list(weights.values()) + list(model.parameters())
truth = Truth(known, hooks=False)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randn(64, 10)
    truth.inputs(x, y)
    slopes, loss = grad_and_value(loss_of)(weights, x, y)
    weights = {name: value - 0.1 * slopes[name] for name, value in weights.items()}
    known[:] = list(weights.values()) + list(model.parameters())
    slopes = None
    truth.note("after step", step)
