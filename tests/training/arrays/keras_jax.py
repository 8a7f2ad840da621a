# SPDX-License-Identifier: Apache-2.0
# needs: keras jax
"""Keras fits a model on JAX, with SGD that has momentum."""
import os

os.environ["KERAS_BACKEND"] = "jax"
import keras  # noqa: E402
import numpy as np  # noqa: E402

from array_truth import ArrayTruth, jax_addresses  # noqa: E402


def main():
    truth = ArrayTruth(jax_addresses)
    model = keras.Sequential([keras.Input((128,)), keras.layers.Dense(768, activation="relu"),
                              keras.layers.Dense(768, activation="relu"), keras.layers.Dense(8)])
    model.compile(optimizer=keras.optimizers.SGD(0.01, momentum=0.9), loss="mse")
    random = np.random.default_rng(0)
    x = random.standard_normal((2048, 128), dtype=np.float32)
    y = random.standard_normal((2048, 8), dtype=np.float32)
    for epoch in range(5):
        model.fit(x, y, batch_size=256, epochs=1, verbose=0)
        if epoch in (1, 3):
            truth.note(f"epoch {epoch}", parameter=[v.value for v in model.trainable_variables],
                       optimiser_state=[v.value for v in model.optimizer.variables])


main()
