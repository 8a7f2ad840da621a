# SPDX-License-Identifier: Apache-2.0
"""Runs a training in two processes, which meet in a file.

    def train(rank):
        ...

    two_ranks.run(train)
"""
import datetime
import gc
import subprocess
import sys
import tempfile

import torch
import torch.distributed as dist


def run(train):
    """Calls train(0) here and train(1) in a second process, which runs the same program. Ends the
    program with the exit code of the second one if that failed."""
    if len(sys.argv) > 1:
        _run_rank(train, 1, sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"{folder}/meeting"
        other = subprocess.Popen([sys.executable, sys.argv[0], meeting])
        try:
            _run_rank(train, 0, meeting)
        except BaseException:
            other.kill()  # It would wait for this process.
            raise
        if other.wait():
            sys.exit(other.returncode)


def _run_rank(train, rank, meeting):
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2,
                            timeout=datetime.timedelta(minutes=5))
    train(rank)
    gc.collect()  # The threads of gloo end with the last holder of the group.
    dist.destroy_process_group()
