# SPDX-License-Identifier: Apache-2.0
# truth: leak=forward
"""A list keeps the loss of each step, and with it the graph that made it."""
from leaks import run_steps


class Node:
    def __init__(self, operation, inputs):
        self.operation, self.inputs = operation, inputs
        self.saved = [0.0] * 20


def linear(x):
    return Node("linear", (x, Node("weight", ())))


def relu(x):
    node = Node("relu", (x,))
    node.mask = bytearray(64)
    return node


def forward(x):
    for _ in range(3):
        x = relu(linear(x))
    return Node("loss", (x, {"scale": [1.0, 2.0]}))


losses = []


def step(number):
    loss = forward(Node("input", ()))
    losses.append(loss)


run_steps(400, step)
