# SPDX-License-Identifier: Apache-2.0
"""A convolutional network with batch norm, trained by SGD with momentum."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def block(channels_in, channels_out):
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 3, padding=1),
                         nn.BatchNorm2d(channels_out), nn.ReLU(), nn.MaxPool2d(2))


model = nn.Sequential(block(3, 16), block(16, 32), nn.Flatten(), nn.Dropout(0.1),
                      nn.Linear(32 * 64, 64), nn.ReLU(), nn.Linear(64, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
truth = Truth(model, optimiser)
for step in range(1, 7):
    images, classes = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    truth.inputs(images, classes)
    optimiser.zero_grad()
    loss = nn.functional.cross_entropy(model(images), classes)
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
