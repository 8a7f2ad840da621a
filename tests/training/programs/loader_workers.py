# SPDX-License-Identifier: Apache-2.0
"""Batches come from a DataLoader's worker processes, through shared memory."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from truth import Truth


class Pictures(Dataset):
    def __init__(self, count):
        self.pictures = torch.randn(count, 400)
        self.classes = torch.randint(0, 10, (count,))

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        return self.pictures[index] + 0.1 * torch.randn(400), self.classes[index]


def fetched(batches):
    """Yields what came from the workers before its turn."""
    for task in batches._task_info.values():
        if len(task) == 2:
            yield task[1]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    pictures = Pictures(512)
    loader = DataLoader(pictures, batch_size=64, shuffle=True, num_workers=2)
    model = nn.Sequential(nn.Linear(400, 200), nn.ReLU(), nn.Linear(200, 10))
    optimiser = torch.optim.AdamW(model.parameters())
    truth = Truth(model, optimiser, data=[pictures.pictures, pictures.classes])
    batches = iter(loader)
    for step, (x, y) in enumerate(batches, 1):
        truth.inputs(x, y, *fetched(batches))
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        truth.note("after forward", step)
        loss.backward()
        truth.note("after backward", step)
        optimiser.step()
        truth.note("after step", step)


if __name__ == "__main__":
    main()
