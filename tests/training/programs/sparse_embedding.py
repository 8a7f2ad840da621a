# SPDX-License-Identifier: Apache-2.0
"""A bag of embeddings with sparse gradients, which SparseAdam applies."""
import torch
from torch import nn
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)

bag = nn.EmbeddingBag(5000, 64, mode="sum", sparse=True)
head = nn.Linear(64, 5)
model = nn.Sequential(bag, head)
sparse = torch.optim.SparseAdam(bag.parameters())
dense = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
truth = Truth(model, sparse, states=[dense.state])
for step in range(1, 7):
    words, classes = torch.randint(0, 5000, (32, 20)), torch.randint(0, 5, (32,))
    truth.inputs(words, classes)
    loss = nn.functional.cross_entropy(model(words), classes)
    truth.note("after forward", step)
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    truth.note("after backward", step)
    sparse.step()
    dense.step()
    truth.note("after step", step)
