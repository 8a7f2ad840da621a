# SPDX-License-Identifier: Apache-2.0
"""Functions of autograd and an optimiser that are written by the user, with checkpointing."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Squashed(torch.autograd.Function):
    @staticmethod
    def forward(context, x, scale):
        y = torch.tanh(x * scale)
        context.save_for_backward(x, y, scale)
        return y

    @staticmethod
    def backward(context, slope):
        x, y, scale = context.saved_tensors
        inner = slope * (1 - y * y)
        return inner * scale, (inner * x).sum(0)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width))
        self.scale = nn.Parameter(torch.ones(width))
        nn.init.orthogonal_(self.weight)

    def forward(self, x):
        return x + Squashed.apply(x @ self.weight, self.scale)


class Network(nn.Module):
    def __init__(self, width=200):
        super().__init__()
        self.layers = nn.ModuleList(Layer(width) for _ in range(4))
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return self.head(x)


class Lion(torch.optim.Optimizer):
    def __init__(self, parameters, lr=1e-4):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                if not state:
                    state["mean"] = torch.zeros_like(parameter)
                mean, slope = state["mean"], parameter.grad
                parameter.sub_(torch.sign(0.9 * mean + 0.1 * slope), alpha=group["lr"])
                mean.mul_(0.99).add_(slope, alpha=0.01)


model = Network()
optimiser = Lion(model.parameters())
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 200), torch.randn(64, 5)
    truth.inputs(x, y)
    loss = (model(x) - y).abs().mean()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    optimiser.zero_grad()
    truth.note("after step", step)
