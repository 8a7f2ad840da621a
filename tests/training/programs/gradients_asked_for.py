# SPDX-License-Identifier: Apache-2.0
"""torch.autograd.grad gives the gradients, and the program itself changes the weights with them."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.Softplus(), nn.Linear(400, 200), nn.Softplus(),
                      nn.Linear(200, 10))
parameters = list(model.parameters())
squares = [torch.zeros_like(parameter) for parameter in parameters]
truth = Truth(model, states=squares)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randn(64, 10)
    truth.inputs(x, y)
    loss = nn.functional.mse_loss(model(x), y)
    truth.note("after forward", step)
    slopes = torch.autograd.grad(loss, parameters)
    with torch.no_grad():
        for parameter, square, slope in zip(parameters, squares, slopes):
            square.mul_(0.99).addcmul_(slope, slope, value=0.01)
            parameter.sub_(0.01 * slope / (square.sqrt() + 1e-8))
    del slopes, slope
    truth.note("after step", step)
