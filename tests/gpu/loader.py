#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains for 3 epochs of 40 batches that workers load: 120 steps, none of them marked."""
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 40 * 64

    def __getitem__(self, index):
        return torch.full((512,), float(index)), index % 10


def main():
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(),
                                torch.nn.Linear(512, 10)).cuda()
    optimiser = torch.optim.AdamW(model.parameters())
    measure = torch.nn.CrossEntropyLoss()
    for _ in range(3):
        for inputs, labels in DataLoader(Numbers(), batch_size=64, num_workers=2, pin_memory=True):
            optimiser.zero_grad()
            loss = measure(model(inputs.cuda(non_blocking=True)), labels.cuda())
            loss.backward()
            optimiser.step()


if __name__ == "__main__":
    main()
