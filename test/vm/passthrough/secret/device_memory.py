"""Writes to the memory of a PCI device, and shows what it has, as a process that has the device does.

Its arguments: the file of the region, the offsets with commas between, and what to write there, or nothing. Run by
process-tenant.ts on the GPU host.
"""

import mmap
import os
import sys

path, offsets, *secret = sys.argv[1:]
words = [int(offset) // 4 for offset in offsets.split(",")]
with open(path, "r+b", buffering=0) as file:
    memory = memoryview(mmap.mmap(file.fileno(), os.path.getsize(path))).cast("I")
for at, value in zip(words, secret):
    memory[at] = int(value, 16)
print(" ".join(f"0x{memory[at]:08X}" for at in words))
