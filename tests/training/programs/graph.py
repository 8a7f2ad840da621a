# SPDX-License-Identifier: Apache-2.0
"""A network over a graph: messages along edges are gathered, and added up at nodes."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Layer(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.own, self.other = nn.Linear(a, b), nn.Linear(a, b, bias=False)

    def forward(self, x, edges, degree):
        messages = self.other(x)[edges[0]]
        summed = torch.zeros(x.shape[0], messages.shape[1]).index_add(0, edges[1], messages)
        return self.own(x) + summed / degree


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Layer(64, 128), Layer(128, 7)

    def forward(self, x, edges, degree):
        x = nn.functional.dropout(torch.relu(self.a(x, edges, degree)), 0.5, self.training)
        return self.b(x, edges, degree)


nodes = 1000
features, labels = torch.randn(nodes, 64), torch.randint(0, 7, (nodes,))
edges = torch.randint(0, nodes, (2, 5000))
degree = torch.bincount(edges[1], minlength=nodes).clamp(min=1).unsqueeze(1).float()
known = torch.rand(nodes) < 0.5
model = Graph()
optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
truth = Truth(model, optimiser, data=[features, labels, edges, degree, known])
for step in range(1, 7):
    optimiser.zero_grad()
    out = model(features, edges, degree)
    loss = nn.functional.cross_entropy(out[known], labels[known])
    truth.note("after forward", step)
    loss.backward()
    truth.note("after backward", step)
    optimiser.step()
    truth.note("after step", step)
