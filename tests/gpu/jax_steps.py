#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains with JAX for 70 steps. The first one compiles, which takes most of the time."""
import jax
import jax.numpy as jnp
import optax

OPTIMISER = optax.adam(1e-3)


def loss_of(parameters, inputs):
    return jnp.mean((jnp.tanh(inputs @ parameters["a"]) @ parameters["b"]) ** 2)


@jax.jit
def update(parameters, state, inputs):
    gradients = jax.grad(loss_of)(parameters, inputs)
    updates, state = OPTIMISER.update(gradients, state)
    return optax.apply_updates(parameters, updates), state


def main():
    parameters = {"a": jnp.ones((512, 256)), "b": jnp.ones((256, 10))}
    state = OPTIMISER.init(parameters)
    key = jax.random.PRNGKey(0)
    for _ in range(70):
        key, part = jax.random.split(key)
        parameters, state = update(parameters, state, jax.random.normal(part, (256, 512)))
    jax.block_until_ready(parameters)


if __name__ == "__main__":
    main()
