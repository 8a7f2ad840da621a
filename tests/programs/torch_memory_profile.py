# truth: oracle
# run: manual
# PyTorch's own memory profile of a few operations.
import torch
from torch.profiler import ProfilerActivity, profile

with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
    weights = torch.randn(300, 200)
    result = torch.relu(weights @ torch.randn(200, 100))
    del weights
for row in sorted(recorded.key_averages(), key=lambda row: row.key):
    if row.key.startswith("aten::"):
        print(row.key, row.count, row.cpu_memory_usage, row.self_cpu_memory_usage)
