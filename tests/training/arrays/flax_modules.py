# SPDX-License-Identifier: Apache-2.0
# needs: jax flax optax
"""Modules of Flax with AdamW of optax; two epochs over data that lies in JAX's memory."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

from array_truth import ArrayTruth, jax_addresses


class Network(nn.Module):
    @nn.compact
    def __call__(self, x):
        for wide in (384, 384, 384):
            x = nn.relu(nn.Dense(wide)(x))
        return nn.Dense(16)(x)


def main():
    truth, network = ArrayTruth(jax_addresses), Network()
    data = jax.random.normal(jax.random.PRNGKey(1), (8, 128, 96))
    parameters = network.init(jax.random.PRNGKey(0), data[0])
    optimiser = optax.adamw(1e-3)
    state = optimiser.init(parameters)

    @jax.jit
    def train_step(parameters, state, x):
        def loss_of(parameters):
            return jnp.mean(network.apply(parameters, x) ** 2)
        updates, state = optimiser.update(jax.grad(loss_of)(parameters), state, parameters)
        return optax.apply_updates(parameters, updates), state

    for epoch in range(2):
        for step in range(len(data)):
            parameters, state = train_step(parameters, state, data[step])
            if step in (3, 6):
                truth.note(f"epoch {epoch} step {step}", parameter=parameters,
                           optimiser_state=state, input=data)


main()
