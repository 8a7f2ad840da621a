# SPDX-License-Identifier: Apache-2.0
"""Each error of FFmpeg stays."""
import av
from resident import note

RESAMPLER = av.AudioResampler(format="s16", layout="stereo", rate=48000)
ROUNDS = 70000

for i in range(ROUNDS):
    frame = av.AudioFrame("s16", "stereo", 960)
    frame.sample_rate = 44100
    RESAMPLER.resample(frame)  # leak
    note(i, ROUNDS)
