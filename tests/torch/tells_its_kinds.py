"""Trains a small network, and prints the bytes of each kind of memory at a moment that it marks: in
the third step, between the backward pass and the optimiser's step."""
import ctypes

import torch

mark = getattr(ctypes.CDLL(None), "memtrace_mark", lambda text: None)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(300, 500)
        self.norm = torch.nn.BatchNorm1d(500)
        self.last = torch.nn.Linear(500, 200)
        self.register_buffer("scale", torch.full((70000,), 0.5))

    def forward(self, rows):
        return self.last(torch.tanh(self.norm(self.first(rows)))) * self.scale[0]


def size_of(tensors):
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)


torch.manual_seed(1)
net = Net()
optimiser = torch.optim.AdamW(net.parameters())
for step in range(5):
    rows = torch.randn(400, 300)
    loss = net(rows).square().mean()
    loss.backward()
    if step == 2:
        mark(b"now")
        print("parameter", size_of(net.parameters()))
        print("buffer", size_of(buffer for buffer in net.buffers() if buffer.numel() > 1))
        print("gradient", size_of(parameter.grad for parameter in net.parameters()))
        print("optimiser_state", size_of(
            state for states in optimiser.state.values() for state in states.values()
            if state.numel() > 1))
        print("input", size_of([rows]))
    optimiser.step()
    optimiser.zero_grad()
