# SPDX-License-Identifier: Apache-2.0
"""A frozen teacher's features are computed without a graph, and subtracted from the student's: no
graph saves them."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def features(model, x):
    kept = []
    hook = model[2].register_forward_hook(lambda module, given, out: kept.append(out))
    model(x)
    hook.remove()
    return kept[0]


teacher = nn.Sequential(nn.Linear(64, 800), nn.ReLU(), nn.Linear(800, 600), nn.ReLU(),
                        nn.Linear(600, 10)).requires_grad_(False)
student = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 800))
end = nn.Linear(800, 600)
optimiser = torch.optim.AdamW([*student.parameters(), *end.parameters()])
truth = Truth(nn.ModuleList([student, end, teacher]), optimiser)
for step in range(1, 9):
    x = torch.randn(256, 64)
    truth.inputs(x)
    with torch.no_grad():
        wanted = teacher[:2](x)
        further = features(teacher, x).detach()
    middle = student(x)
    loss = (middle - wanted).pow(2).mean() + nn.functional.l1_loss(end(middle), further)
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
