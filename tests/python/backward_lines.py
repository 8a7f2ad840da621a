# SPDX-License-Identifier: Apache-2.0
"""Goes forward in known lines, each with tensors of a size that no other line uses, and then
backward. Prints which line made which size. Needs torch."""
import sys

import torch

SIZES = {}


def leaf(elements):
    """Returns a leaf of the calling line. Its gradient and intermediate tensors are as large."""
    SIZES[4 * elements] = sys._getframe(1).f_lineno
    return torch.ones(elements, requires_grad=True)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return 3 * x * x * gradient


class Reentrant(torch.autograd.Function):
    """Each level goes backward inside the level before. The engine runs deep levels on its own
    threads, where there is no Python function."""

    @staticmethod
    def forward(ctx, x, level, innermost):
        ctx.level = level
        ctx.innermost = innermost
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        with torch.enable_grad():
            loss, = ctx.innermost
            if ctx.level > 1:
                x = torch.ones(1, requires_grad=True)
                loss = Reentrant.apply(x, ctx.level - 1, ctx.innermost)
        loss.backward()
        return gradient, None, None


def main():
    torch.set_num_threads(1)
    losses = [
        leaf(410_001).sin().sum(),
        leaf(420_007).tanh().sum(),
        Cube.apply(leaf(430_003)).sum(),
        torch.softmax(leaf(440_009), 0).sum(),
        (leaf(450_001) * 2.5).exp().mean(),
    ]
    for loss in losses:
        loss.backward()
    curve = leaf(460_001).sin()
    slope, = torch.autograd.grad(curve.sum(), [curve.grad_fn.next_functions[0][0].variable],
                                 create_graph=True)
    slope.sum().backward()
    innermost = leaf(490_003).sin().sum()
    Reentrant.apply(torch.ones(1, requires_grad=True), 70, [innermost]).backward()
    for size, line in SIZES.items():
        print(size, line)


main()
