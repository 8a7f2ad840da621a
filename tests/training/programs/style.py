# SPDX-License-Identifier: Apache-2.0
"""A picture learns to look like another: it is what is learned, and the network is frozen."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

network = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
                        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
                        nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.ReLU()).eval()
for p in network.parameters():
    p.requires_grad_(False)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.shape[2]


def features(x):
    found = []
    for layer in network:
        x = layer(x)
        if isinstance(layer, nn.ReLU):
            found.append(x)
    return found


content, style = torch.rand(1, 3, 96, 96), torch.rand(1, 3, 96, 96)
with torch.no_grad():
    wanted = features(content)[-1]
    grams = [gram(f) for f in features(style)]
picture = content.clone().requires_grad_(True)
optimiser = torch.optim.Adam([picture], lr=0.02)
truth = Truth([picture, *network.parameters()], optimiser, data=[content, style, wanted, grams])
for step in range(1, 7):
    found = features(picture)
    loss = (found[-1] - wanted).square().mean()
    loss = loss + 10 * sum((gram(f) - g).square().mean() for f, g in zip(found, grams))
    truth.note("after forward", step)
    optimiser.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    with torch.no_grad():
        picture.clamp_(0, 1)
    truth.note("after step", step)
