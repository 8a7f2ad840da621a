# SPDX-License-Identifier: Apache-2.0
"""K-FAC: hooks gather covariances of what goes into a layer and of the gradients that come out of
it."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Kfac:
    def __init__(self, model, rate=0.05):
        self.rate, self.steps = rate, 0
        self.layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
        self.a, self.g, self.inverses = {}, {}, {}
        for layer in self.layers:
            layer.register_forward_pre_hook(self.save_input)
            layer.register_full_backward_hook(self.save_gradient)

    @torch.no_grad()
    def save_input(self, layer, inputs):
        a = inputs[0].detach()
        a = torch.cat([a, torch.ones(len(a), 1)], 1)
        cov = a.T @ a / len(a)
        self.a[layer] = cov if layer not in self.a else 0.95 * self.a[layer] + 0.05 * cov

    @torch.no_grad()
    def save_gradient(self, layer, _, outputs):
        g = outputs[0].detach()
        cov = g.T @ g * len(g)
        self.g[layer] = cov if layer not in self.g else 0.95 * self.g[layer] + 0.05 * cov

    @torch.no_grad()
    def step(self):
        for layer in self.layers:
            if self.steps % 2 == 0:
                self.inverses[layer] = [torch.linalg.inv(m + 1e-2 * torch.eye(len(m)))
                                        for m in (self.a[layer], self.g[layer])]
            whole = torch.cat([layer.weight.grad, layer.bias.grad[:, None]], 1)
            a, g = self.inverses[layer]
            update = g @ whole @ a
            layer.weight.sub_(self.rate * update[:, :-1])
            layer.bias.sub_(self.rate * update[:, -1])
        self.steps += 1


model = nn.Sequential(nn.Linear(64, 192), nn.Tanh(), nn.Linear(192, 160), nn.Tanh(),
                      nn.Linear(160, 10))
kfac = Kfac(model)
truth = Truth(model, states=[kfac.a, kfac.g, kfac.inverses])
for step in range(1, 7):
    x, y = torch.randn(64, 64), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    kfac.step()
    truth.note("after step", step)
