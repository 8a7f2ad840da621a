# SPDX-License-Identifier: Apache-2.0
# needs: keras tensorflow
"""Keras fits a model on TensorFlow, whose allocator is told to allocate each tensor by itself."""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", KERAS_BACKEND="tensorflow")
import keras  # noqa: E402
import numpy as np  # noqa: E402

from array_truth import ArrayTruth, tensorflow_addresses  # noqa: E402


class Notes(keras.callbacks.Callback):
    def __init__(self, truth):
        super().__init__()
        self.truth = truth

    def on_epoch_end(self, epoch, logs=None):
        if epoch not in (1, 3):
            return
        self.truth.note(f"epoch {epoch}", parameter=self.model.trainable_variables,
                        optimiser_state=self.model.optimizer.variables)


def main():
    layers = [keras.Input((256,)), keras.layers.Dense(1024, activation="relu"),
              keras.layers.Dense(256, activation="relu"), keras.layers.Dense(64)]
    model = keras.Sequential(layers)
    model.compile(optimizer="adam", loss="mse")
    random = np.random.default_rng(0)
    x = random.standard_normal((4096, 256), dtype=np.float32)
    y = random.standard_normal((4096, 64), dtype=np.float32)
    model.fit(x, y, batch_size=512, epochs=6, verbose=0,
              callbacks=[Notes(ArrayTruth(tensorflow_addresses))])


main()
