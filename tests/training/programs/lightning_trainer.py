# SPDX-License-Identifier: Apache-2.0
# slow
# needs: lightning
"""A network trained by Lightning, whose forward and backward pass run inside of the step."""
import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Network(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(100, 400), nn.ReLU(), nn.Linear(400, 10))
        self.truth = None

    def configure_optimizers(self):
        optimiser = torch.optim.AdamW(self.parameters())
        self.truth = Truth(self, optimiser, data=points.tensors)
        return optimiser

    def training_step(self, batch, index):
        self.truth.inputs(batch)
        x, y = batch
        loss = nn.functional.cross_entropy(self.layers(x), y)
        self.truth.note("after forward", index + 1)
        return loss

    def on_after_backward(self):
        self.truth.note("after backward", self.global_step + 1)

    def on_train_batch_end(self, outputs, batch, index):
        self.truth.note("after step", index + 1)


points = TensorDataset(torch.randn(384, 100), torch.randint(0, 10, (384,)))
trainer = lightning.Trainer(max_steps=6, accelerator="cpu", devices=1, logger=False,
                            enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False)
trainer.fit(Network(), DataLoader(points, batch_size=64))
