# SPDX-License-Identifier: Apache-2.0
"""The text that is drawn stays."""
from PIL import Image, ImageDraw, ImageFont
from resident import note

IMAGE = Image.new("RGB", (200, 50))
DRAW = ImageDraw.Draw(IMAGE)
FONT = ImageFont.load_default()
LABEL = "frame of the film: %d" + " x" * 100

for i in range(25000):
    DRAW.text((0, 0), LABEL % i, font=FONT)  # leak
    note(i, 25000)
