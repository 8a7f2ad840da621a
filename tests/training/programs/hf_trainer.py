# SPDX-License-Identifier: Apache-2.0
# slow
# needs: transformers accelerate
"""A small GPT-2, trained by the Trainer of Hugging Face."""
import tempfile

import torch
from transformers import (GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback,
                          TrainingArguments)
from truth import Truth

torch.manual_seed(0)
torch.set_num_threads(1)


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        words = (torch.arange(32) * (index + 1)) % 400
        return {"input_ids": words, "labels": words}


class Noted(Trainer):
    truth = None

    def compute_loss(self, model, inputs, *more, **named):
        self.truth.inputs(dict(inputs))
        loss = super().compute_loss(model, inputs, *more, **named)
        self.truth.note("after forward", self.state.global_step + 1)
        return loss

    def training_step(self, *more, **named):
        loss = super().training_step(*more, **named)
        self.truth.note("after backward", self.state.global_step + 1)
        return loss


class Notes(TrainerCallback):
    def on_train_begin(self, args, state, control, **_):
        trainer.truth = Truth(model, getattr(trainer.optimizer, "optimizer", trainer.optimizer))

    def on_optimizer_step(self, args, state, control, **_):
        trainer.truth.note("after step", state.global_step + 1)


model = GPT2LMHeadModel(GPT2Config(vocab_size=400, n_positions=32, n_embd=64, n_layer=2, n_head=2,
                                   bos_token_id=0, eos_token_id=0))
with tempfile.TemporaryDirectory() as folder:
    settings = TrainingArguments(folder, max_steps=6, per_device_train_batch_size=8, use_cpu=True,
                                 report_to="none", save_strategy="no", logging_strategy="no",
                                 disable_tqdm=True, dataloader_pin_memory=False)
    trainer = Noted(model, settings, train_dataset=Sentences(), callbacks=[Notes()])
    trainer.train()
