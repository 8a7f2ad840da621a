# SPDX-License-Identifier: Apache-2.0
# needs: jax optax
"""A network of plain functions in JAX, trained with Adam of optax in a compiled step."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

from array_truth import ArrayTruth, jax_addresses


def make(key):
    first, second = jax.random.split(key)
    return {"w1": jax.random.normal(first, (256, 1024)) * 0.05, "b1": jnp.zeros(1024),
            "w2": jax.random.normal(second, (1024, 64)) * 0.05, "b2": jnp.zeros(64)}


def loss_of(parameters, x, y):
    hidden = jax.nn.relu(x @ parameters["w1"] + parameters["b1"])
    return jnp.mean((hidden @ parameters["w2"] + parameters["b2"] - y) ** 2)


optimiser = optax.adam(1e-3)


@jax.jit
def train_step(parameters, state, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
    updates, state = optimiser.update(gradients, state)
    return optax.apply_updates(parameters, updates), state, loss


def main():
    truth, random = ArrayTruth(jax_addresses), np.random.default_rng(0)
    parameters = make(jax.random.PRNGKey(0))
    state = optimiser.init(parameters)
    for step in range(1, 13):
        x = random.standard_normal((512, 256), dtype=np.float32)
        y = random.standard_normal((512, 64), dtype=np.float32)
        parameters, state, loss = train_step(parameters, state, x, y)
        if step in (2, 6, 11):
            truth.note(f"step {step}", parameter=parameters, optimiser_state=state)
    print(float(loss))


main()
