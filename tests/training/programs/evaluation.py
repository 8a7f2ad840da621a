# SPDX-License-Identifier: Apache-2.0
"""The model is evaluated without gradients before the first step and after each second one."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Dropout(0.2), nn.Linear(400, 200),
                      nn.ReLU(), nn.Linear(200, 10))
optimiser = torch.optim.NAdam(model.parameters())
held_out = torch.randn(256, 100), torch.randint(0, 10, (256,))
truth = Truth(model, optimiser, data=held_out)


def evaluate(step):
    model.eval()
    with torch.no_grad():
        answers = model(held_out[0])
        right = (answers.argmax(1) == held_out[1]).float().mean()
        truth.note("after evaluation", step)
    model.train()
    return right.item()


evaluate(0)
for step in range(1, 7):
    x, y = torch.randn(64, 100), torch.randint(0, 10, (64,))
    truth.inputs(x, y)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
    if step % 2 == 0:
        evaluate(step)
