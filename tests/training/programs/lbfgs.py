# SPDX-License-Identifier: Apache-2.0
"""LBFGS goes forward and backward several times in each step, and keeps earlier gradients."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(50, 200), nn.Tanh(), nn.Linear(200, 100), nn.Tanh(),
                      nn.Linear(100, 1))
optimiser = torch.optim.LBFGS(model.parameters(), max_iter=4, history_size=5,
                              line_search_fn="strong_wolfe")
x = torch.randn(128, 50)
y = x[:, :1].sin() + x[:, 1:2] * x[:, 2:3]
truth = Truth(model, optimiser, data=[x, y])
for step in range(1, 7):
    noted = set()

    def note_once(moment):
        if moment not in noted:
            truth.note(moment, step)
        noted.add(moment)

    def loss_of_all():
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        note_once("after forward")
        loss.backward()
        note_once("after backward")
        return loss

    optimiser.step(loss_of_all)
    truth.note("after step", step)
