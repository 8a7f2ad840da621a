# SPDX-License-Identifier: Apache-2.0
"""Weights and activations go through a rounding that passes gradients straight through."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return (x / scale).round().clamp(-127, 127) * scale

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        inside = (x / scale).abs() <= 127
        return grad * inside, None


class Layer(nn.Linear):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        with torch.no_grad():
            self.scale.mul_(0.9).add_(x.abs().max() / 127, alpha=0.1)
        weights = Rounded.apply(self.weight, self.weight.detach().abs().amax(1, keepdim=True) / 127)
        return nn.functional.linear(Rounded.apply(x, self.scale), weights, self.bias)


model = nn.Sequential(Layer(64, 256), nn.Hardswish(), Layer(256, 256), nn.Hardswish(),
                      Layer(256, 10))
optimiser = torch.optim.NAdam(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-3, total_steps=10)
truth = Truth(model, optimiser)
for step in range(1, 7):
    x, y = torch.randn(64, 64), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    schedule.step()
    truth.note("after step", step)
