# SPDX-License-Identifier: Apache-2.0
"""Pictures and texts are learned together: two encoders, a temperature that is learned, autocast in
bfloat16, gradients clipped, and a schedule that warms up."""
import torch
import torch.nn.functional as F
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class PictureEncoder(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.cls = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.positions = nn.Parameter(torch.zeros(1, 65, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], 1) + self.positions
        return self.body(x)[:, 0]


class TextEncoder(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.words = nn.Embedding(500, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2)

    def forward(self, text):
        return self.body(self.words(text), src_key_padding_mask=text == 0).mean(1)


class Clip(nn.Module):
    def __init__(self, width=96, joint=64):
        super().__init__()
        self.pictures, self.texts = PictureEncoder(width), TextEncoder(width)
        self.to_joint = nn.ModuleList([nn.Linear(width, joint, bias=False) for _ in range(2)])
        self.logit_scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, x, text):
        one = F.normalize(self.to_joint[0](self.pictures(x)), dim=-1)
        two = F.normalize(self.to_joint[1](self.texts(text)), dim=-1)
        return self.logit_scale.exp() * one @ two.t()


model = Clip()
optimiser = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.2)
warm = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda at: min(1.0, (at + 1) / 4))
truth = Truth(model, optimiser)
for step in range(1, 8):
    x, text = torch.randn(24, 3, 32, 32), torch.randint(1, 500, (24, 20))
    text[:, 15:] = 0
    truth.inputs(x, text)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(x, text)
        labels = torch.arange(24)
        loss = (F.cross_entropy(scores, labels) + F.cross_entropy(scores.t(), labels)) / 2
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    warm.step()
    optimiser.zero_grad()
    truth.note("after step", step)
