# SPDX-License-Identifier: Apache-2.0
"""A U-Net with skip connections and a loss of overlaps marks what is in a picture; an average of
its weights answers in the validation, whose masks are kept for the score of the epoch."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


def double(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, classes=4, width=12):
        super().__init__()
        self.down = nn.ModuleList([double(3, width), double(width, 2 * width)])
        self.middle = double(2 * width, 4 * width)
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2),
                                 nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.join = nn.ModuleList([double(4 * width, 2 * width), double(2 * width, width)])
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        skips = []
        for down in self.down:
            x = down(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([up(x), skips.pop()], dim=1))
        return self.last(x)


def dice_loss(scores, masks):
    chances = scores.softmax(1)
    wanted = F.one_hot(masks, chances.size(1)).permute(0, 3, 1, 2).float()
    overlap = (chances * wanted).sum((0, 2, 3))
    return 1 - (2 * overlap / (chances + wanted).sum((0, 2, 3)).clamp_min(1e-6)).mean()


model = UNet()
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 4)
pictures, masks = torch.randn(24, 3, 32, 32), torch.randint(0, 4, (24, 32, 32))
held_out = torch.randn(8, 3, 32, 32), torch.randint(0, 4, (8, 32, 32))
truth = Truth(model, optimizer, data=[pictures, masks, held_out],
              states=[list(average.parameters()), list(average.buffers())])
step = 0
for epoch in range(3):
    for at in range(0, 24, 8):
        step += 1
        x, y = pictures[at:at + 8], masks[at:at + 8]
        scores = model(x)
        loss = F.cross_entropy(scores, y) + dice_loss(scores, y)
        truth.note("after forward", step)
        optimizer.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        optimizer.step()
        average.update_parameters(model)
        truth.note("after step", step)
    average.eval()
    found = []
    with torch.no_grad():
        for at in range(0, 8, 4):
            found.append(average(held_out[0][at:at + 4]).argmax(1))
    score = (torch.cat(found) == held_out[1]).float().mean().item()
    scheduler.step()
