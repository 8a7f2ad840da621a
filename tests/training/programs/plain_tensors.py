# SPDX-License-Identifier: Apache-2.0
"""No module: the parameters are plain tensors that require gradients."""
import torch
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def weights(*shape):
    return (torch.randn(*shape) / shape[0] ** 0.5).requires_grad_()


parameters = [weights(100, 400), weights(400), weights(400, 200), weights(200, 10)]
optimiser = torch.optim.Adam(parameters, lr=1e-3)
truth = Truth(parameters, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randn(64, 10)
    truth.inputs(x, y)
    first, bias, second, last = parameters
    answers = torch.tanh(torch.tanh(x @ first + bias) @ second) @ last
    loss = (answers - y).square().mean()
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
