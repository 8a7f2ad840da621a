# SPDX-License-Identifier: Apache-2.0
# needs: jax
"""Momentum written by hand in JAX; the compiled step reuses the memory of what it replaces."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from array_truth import ArrayTruth, jax_addresses

SIZES = (64, 512, 512, 10)


def make(seed):
    random = np.random.default_rng(seed)
    return [(jnp.asarray(random.standard_normal((wide, next_wide), dtype=np.float32) * 0.05),
             jnp.zeros(next_wide)) for wide, next_wide in zip(SIZES, SIZES[1:])]


def loss_of(parameters, x, y):
    for weight, bias in parameters:
        x = jnp.tanh(x @ weight + bias)
    return jnp.mean((x - y) ** 2)


@partial(jax.jit, donate_argnums=(0, 1))
def train_step(parameters, momentum, x, y):
    gradients = jax.grad(loss_of)(parameters, x, y)
    momentum = jax.tree_util.tree_map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return jax.tree_util.tree_map(lambda p, m: p - 0.01 * m, parameters, momentum), momentum


def main():
    truth = ArrayTruth(jax_addresses)
    parameters = make(0)
    momentum = jax.tree_util.tree_map(jnp.zeros_like, parameters)
    data = np.random.default_rng(1).standard_normal((10, 256, 64), dtype=np.float32)
    y = jnp.zeros((256, 10))
    for step, batch in enumerate(data, 1):
        x = batch
        parameters, momentum = train_step(parameters, momentum, x, y)
        if step in (3, 8):
            truth.note(f"step {step}", parameter=parameters, optimiser_state=momentum)


main()
