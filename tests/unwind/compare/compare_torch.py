# SPDX-License-Identifier: Apache-2.0
"""Training with worker processes and with backward passes on several threads; then linear algebra.

compare_torch.py STEPS
"""

import sys
import threading

import numpy
import torch

torch.set_num_threads(1)


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(32, generator=generator), index % 10


def train(steps):
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.LayerNorm(64), torch.nn.GELU(),
                                torch.nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2,
                                         persistent_workers=True)
    step = 0
    while step < steps:
        for inputs, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1


def backward_on_a_thread(steps):
    weights = torch.randn(16, 16, requires_grad=True)
    for _ in range(steps):
        torch.tanh(weights @ weights).sum().backward()


def linear_algebra(steps):
    numbers = numpy.random.default_rng(1)
    for _ in range(steps):
        matrix = numbers.standard_normal((24, 24))
        numpy.linalg.svd(matrix)
        numpy.linalg.eigvals(matrix)
        numpy.fft.rfft(matrix)
        numpy.sort(matrix.ravel()).reshape(24, 24) @ matrix


def main():
    steps = int(sys.argv[1])
    threads = [threading.Thread(target=backward_on_a_thread, args=(steps,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    train(steps)
    linear_algebra(steps)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
