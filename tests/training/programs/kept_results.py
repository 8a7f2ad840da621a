# SPDX-License-Identifier: Apache-2.0
"""Results of each batch are kept for metrics: features, probabilities, losses of samples, and the
outputs of a validation. They are computed without a graph at several places of a round."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
        self.head = nn.Linear(128, 40)

    def forward(self, x):
        features = self.features(x)
        return self.head(features), features


model = Net()
optimiser = torch.optim.AdamW(model.parameters())
truth = Truth(model, optimiser)
validation = torch.randn(512, 64)
kept = {"features": [], "chances": [], "losses": [], "validation": []}
for step in range(1, 9):
    x, y = torch.randn(512, 64), torch.randint(0, 40, (512,))
    truth.inputs(x, y, validation)
    scores, features = model(x)
    losses = nn.functional.cross_entropy(scores, y, reduction="none")
    kept["chances"].append(scores.detach().softmax(dim=1))
    loss = losses.mean()
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    kept["losses"].append(losses.detach() * 2)
    optimiser.step()
    optimiser.zero_grad()
    kept["features"].append(features.detach()[::2].clone())
    if step % 2 == 0:
        model.eval()
        with torch.no_grad():
            kept["validation"].append(model(validation)[0])
        model.train()
    truth.note("after step", step)
