# SPDX-License-Identifier: Apache-2.0
"""The language model of train.py in NumPy, for machines without PyTorch.

Each layer is a class with two methods. forward() keeps what backward() needs. backward() takes the
gradient of its output, adds to the gradients of its weights, and returns the gradient of its input.
"""

import numpy


def version():
    return numpy.__version__


class Weight:
    """Numbers to learn, their gradient, and AdamW's running averages of it."""

    def __init__(self, value):
        self.value = value.astype(numpy.float32)
        self.gradient = numpy.zeros_like(self.value)
        self.mean = numpy.zeros_like(self.value)
        self.square = numpy.zeros_like(self.value)


class Layer:
    def weights(self):
        """Yields all weights of this layer and of the layers in it."""
        for part in vars(self).values():
            for item in part if isinstance(part, list) else [part]:
                if isinstance(item, Weight):
                    yield item
                elif isinstance(item, Layer):
                    yield from item.weights()


class Linear(Layer):
    def __init__(self, inputs, outputs, chance):
        bound = 1 / numpy.sqrt(inputs)
        self.matrix = Weight(chance.uniform(-bound, bound, (inputs, outputs)))
        self.bias = Weight(numpy.zeros(outputs))

    def forward(self, x):
        self.x = x
        return x @ self.matrix.value + self.bias.value

    def backward(self, gradient):
        rows = gradient.reshape(-1, gradient.shape[-1])
        self.matrix.gradient += self.x.reshape(-1, self.x.shape[-1]).T @ rows
        self.bias.gradient += rows.sum(axis=0)
        return gradient @ self.matrix.value.T


class Embedding(Layer):
    def __init__(self, rows, width, chance):
        self.table = Weight(chance.normal(0, 1, (rows, width)))

    def forward(self, numbers):
        self.numbers = numbers
        return self.table.value[numbers]

    def backward(self, gradient):
        numpy.add.at(self.table.gradient, self.numbers, gradient)


class Norm(Layer):
    def __init__(self, width):
        self.scale = Weight(numpy.ones(width))
        self.shift = Weight(numpy.zeros(width))

    def forward(self, x):
        x = x - x.mean(axis=-1, keepdims=True)
        self.spread = numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
        self.unit = x / self.spread
        return self.unit * self.scale.value + self.shift.value

    def backward(self, gradient):
        axes = tuple(range(gradient.ndim - 1))
        self.scale.gradient += (gradient * self.unit).sum(axis=axes)
        self.shift.gradient += gradient.sum(axis=axes)
        gradient = gradient * self.scale.value
        along = (gradient * self.unit).mean(axis=-1, keepdims=True)
        return (gradient - gradient.mean(axis=-1, keepdims=True) - self.unit * along) / self.spread


class Mlp(Layer):
    def __init__(self, width, chance):
        self.wide = Linear(width, 4 * width, chance)
        self.narrow = Linear(4 * width, width, chance)

    def forward(self, x):
        hidden = self.wide.forward(x)
        self.on = hidden > 0
        return self.narrow.forward(hidden * self.on)

    def backward(self, gradient):
        return self.wide.backward(self.narrow.backward(gradient) * self.on)


class Attention(Layer):
    def __init__(self, width, heads, chance):
        self.heads = heads
        self.inputs = Linear(width, 3 * width, chance)
        self.output = Linear(width, width, chance)

    def forward(self, x):
        batch, length, width = x.shape
        self.shape = (batch, length, 3, self.heads, width // self.heads)
        mixed = self.inputs.forward(x).reshape(self.shape).transpose(2, 0, 3, 1, 4)
        self.query, self.key, self.value = mixed
        self.scale = numpy.float32((width // self.heads) ** -0.5)
        scores = self.query @ self.key.swapaxes(-1, -2) * self.scale
        scores += numpy.triu(numpy.full((length, length), -1e9, numpy.float32), k=1)
        self.share = softmax(scores)
        heads = self.share @ self.value
        return self.output.forward(heads.transpose(0, 2, 1, 3).reshape(batch, length, width))

    def backward(self, gradient):
        batch, length, _, heads, width = self.shape
        gradient = self.output.backward(gradient)
        gradient = gradient.reshape(batch, length, heads, width).transpose(0, 2, 1, 3)
        of_share = gradient @ self.value.swapaxes(-1, -2)
        inner = (of_share * self.share).sum(axis=-1, keepdims=True)
        of_scores = (of_share - inner) * self.share * self.scale
        parts = numpy.stack([of_scores @ self.key,
                             of_scores.swapaxes(-1, -2) @ self.query,
                             self.share.swapaxes(-1, -2) @ gradient])
        return self.inputs.backward(
            parts.transpose(1, 3, 0, 2, 4).reshape(batch, length, 3 * heads * width))


class Block(Layer):
    def __init__(self, width, heads, chance):
        self.before_attention = Norm(width)
        self.attention = Attention(width, heads, chance)
        self.before_mlp = Norm(width)
        self.mlp = Mlp(width, chance)

    def forward(self, x):
        x = x + self.attention.forward(self.before_attention.forward(x))
        return x + self.mlp.forward(self.before_mlp.forward(x))

    def backward(self, gradient):
        gradient = gradient + self.before_mlp.backward(self.mlp.backward(gradient))
        return gradient + self.before_attention.backward(self.attention.backward(gradient))


class Model(Layer):
    def __init__(self, letters, options, chance):
        self.letter = Embedding(letters, options.width, chance)
        self.place = Embedding(options.context, options.width, chance)
        self.blocks = [Block(options.width, options.heads, chance)
                       for _ in range(options.layers)]
        self.last = Norm(options.width)
        self.output = Linear(options.width, letters, chance)

    def forward(self, numbers):
        places = numpy.broadcast_to(numpy.arange(numbers.shape[1]), numbers.shape)
        x = self.letter.forward(numbers) + self.place.forward(places)
        for block in self.blocks:
            x = block.forward(x)
        return self.output.forward(self.last.forward(x))

    def backward(self, gradient):
        gradient = self.last.backward(self.output.backward(gradient))
        for block in reversed(self.blocks):
            gradient = block.backward(gradient)
        self.letter.backward(gradient)
        self.place.backward(gradient)


def softmax(x):
    x = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def cross_entropy(guess, following):
    """Returns the mean loss, and its gradient with respect to the guess."""
    share = softmax(guess)
    right = numpy.take_along_axis(share, following[..., None], axis=-1)
    loss = -numpy.log(right + 1e-30).mean()
    gradient = share
    numpy.put_along_axis(gradient, following[..., None], right - 1, axis=-1)
    return float(loss), gradient / numpy.float32(following.size)


class AdamW:
    def __init__(self, weights, rate, decay=0.01, betas=(0.9, 0.999)):
        self.weights = list(weights)
        self.rate, self.decay, self.betas, self.steps = rate, decay, betas, 0

    def step(self):
        self.steps += 1
        slow, slower = self.betas
        for weight in self.weights:
            gradient = weight.gradient
            weight.mean += (1 - slow) * (gradient - weight.mean)
            weight.square += (1 - slower) * (gradient * gradient - weight.square)
            mean = weight.mean / (1 - slow ** self.steps)
            square = weight.square / (1 - slower ** self.steps)
            weight.value *= 1 - self.rate * self.decay
            weight.value -= self.rate * mean / (numpy.sqrt(square) + 1e-8)
            gradient[...] = 0


class Trainer:
    def __init__(self, characters, options):
        chance = numpy.random.default_rng(options.seed)
        self.characters = characters
        self.options = options
        self.chance = chance
        self.numbers = numpy.array(characters.numbers)
        self.model = Model(len(characters.alphabet), options, chance)
        self.optimiser = AdamW(self.model.weights(), options.rate)

    def batches(self):
        context = self.options.context
        for _ in range(self.options.steps):
            starts = self.chance.integers(0, len(self.numbers) - context, self.options.batch)
            windows = numpy.stack([self.numbers[at:at + context + 1] for at in starts])
            yield windows[:, :-1], windows[:, 1:]

    def losses(self):
        """Yields the loss of each step; taking it runs the step."""
        for numbers, following in self.batches():
            loss, gradient = cross_entropy(self.model.forward(numbers), following)
            self.model.backward(gradient)
            self.optimiser.step()
            yield loss

    def write(self, prompt, length):
        """Continues the prompt with the most likely letter each time."""
        numbers = [self.characters.index[letter] for letter in prompt]
        for _ in range(length):
            seen = numpy.array([numbers[-self.options.context:]])
            numbers.append(int(self.model.forward(seen)[0, -1].argmax()))
        return self.characters.decode(numbers)
