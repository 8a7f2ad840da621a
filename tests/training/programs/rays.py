# SPDX-License-Identifier: Apache-2.0
"""Rays through a scene: places along them are drawn, coarse chances tell where finer ones go, and
colours are added up; a grid of features learns beside a small network."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Scene(nn.Module):
    def __init__(self, size=24, channels=8, bands=4):
        super().__init__()
        self.grid = nn.Parameter(0.1 * torch.randn(1, channels, size, size, size))
        self.register_buffer("bands", 2.0 ** torch.arange(bands))
        self.net = nn.Sequential(nn.Linear(channels + 6 * bands, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, points):
        n, s, _ = points.shape
        at = points.reshape(1, n, s, 1, 3)
        found = nn.functional.grid_sample(self.grid, at, align_corners=True)
        found = found.reshape(-1, n, s).permute(1, 2, 0)
        waves = (points[..., None] * self.bands).flatten(-2)
        return self.net(torch.cat([found, waves.sin(), waves.cos()], -1))


def places_of(origins, ways, depths):
    return origins[:, None] + ways[:, None] * depths[..., None]


def render(answers, depths):
    gaps = torch.cat([depths[:, 1:] - depths[:, :-1], torch.full_like(depths[:, :1], 0.1)], 1)
    solid = 1 - torch.exp(-nn.functional.softplus(answers[..., 3]) * gaps)
    through = torch.cumprod(torch.cat([torch.ones_like(solid[:, :1]), 1 - solid + 1e-10], 1), 1)
    weights = solid * through[:, :-1]
    return (weights[..., None] * answers[..., :3].sigmoid()).sum(1), weights


scene = Scene()
optimizer = torch.optim.Adam(scene.parameters(), lr=1e-2)
all_origins, all_ways = torch.randn(4096, 3) * 0.1, torch.randn(4096, 3)
all_ways = all_ways / all_ways.norm(dim=-1, keepdim=True)
colours = torch.rand(4096, 3)
truth = Truth(scene, optimizer, data=[all_origins, all_ways, colours])
for step in range(1, 7):
    drawn = torch.randint(0, 4096, (192,))
    origins, ways, wanted = all_origins[drawn], all_ways[drawn], colours[drawn]
    depths = torch.linspace(0.1, 1, 24).expand(192, 24) + torch.rand(192, 24) / 30
    truth.inputs(drawn, origins, ways, wanted, depths)
    with torch.no_grad():
        _, weights = render(scene(places_of(origins, ways, depths)), depths)
        finer = torch.multinomial(weights + 1e-5, 16, replacement=True)
        more = depths.gather(1, finer) + torch.rand(192, 16) / 30
    depths = torch.cat([depths, more], 1).sort(1).values
    points = places_of(origins, ways, depths)
    truth.inputs(more, depths, points)
    shown, _ = render(scene(points), depths)
    loss = (shown - wanted).pow(2).mean()
    truth.note("after forward", step)
    optimizer.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    optimizer.step()
    truth.note("after step", step)
