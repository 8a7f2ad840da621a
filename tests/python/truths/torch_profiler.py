# SPDX-License-Identifier: Apache-2.0
"""Under torch.profiler, with stacks."""
import os

from truth import Truths

try:
    import torch
except ImportError:
    print("torch is not installed")
    os._exit(77)

truths = Truths()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, 16)

    def forward(self, x):
        truths.both()
        return torch.relu(self.layer(x))


class Passed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        truths.both()
        return x * 2

    @staticmethod
    def backward(context, grad):
        truths.both()
        return grad * 2


model = Model()
hooked = model.layer.weight.register_hook(lambda grad: truths.both())
activities = [torch.profiler.ProfilerActivity.CPU]
for with_stack in (False, True):
    with torch.profiler.profile(activities=activities, with_stack=with_stack,
                                profile_memory=True):
        for _ in range(5):
            Passed.apply(model(torch.ones(4, 16))).sum().backward()
            truths.both()
Passed.apply(model(torch.ones(4, 16))).sum().backward()
