# SPDX-License-Identifier: Apache-2.0
"""Three pictures go through one network: two of the same, one of another; the hardest ones of a
batch are sought without a graph first."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Faces(Dataset):
    def __init__(self, people=40, each=8):
        self.pictures = torch.randn(people * each, 1, 24, 24)
        self.people = torch.arange(people).repeat_interleave(each)

    def __len__(self):
        return len(self.people)

    def __getitem__(self, at):
        return self.pictures[at], self.people[at]


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 24, 5), nn.Conv2d(24, 48, 5)
        self.fc = nn.Linear(48 * 3 * 3, 128)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return nn.functional.normalize(self.fc(x.flatten(1)), dim=1)


def hardest(vectors, people):
    distances = torch.cdist(vectors, vectors)
    same = people.unsqueeze(0) == people.unsqueeze(1)
    positive = (distances * same).argmax(1)
    negative = (distances + 1e6 * same).argmin(1)
    return positive, negative


faces = Faces()
loader = DataLoader(faces, batch_size=64, shuffle=True, drop_last=True)
net = Embedding()
criterion = nn.TripletMarginLoss(margin=0.2)
optimizer = torch.optim.Adagrad(net.parameters(), lr=1e-2)
truth = Truth(net, optimizer, data=[faces.pictures, faces.people])
step = 0
for epoch in range(2):
    for pictures, people in loader:
        step += 1
        truth.inputs(pictures, people)
        with torch.no_grad():
            positive, negative = hardest(net(pictures), people)
        anchor = net(pictures)
        loss = criterion(anchor, net(pictures[positive]), net(pictures[negative]))
        truth.note("after forward", step)
        optimizer.zero_grad()
        loss.backward()
        truth.note("after backward", step)
        optimizer.step()
        truth.note("after step", step)
