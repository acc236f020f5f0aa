// A kernel as it is inside Debian's: qemu boots that as well (PVH), and a guest in emulation saves the time that it would
// take to unpack it. Used by build.ts.

const LZ4_LEGACY = 0x184c2102;

/**
 * The ELF file in a bzImage (kernel documentation, x86/boot: setup_sects, payload_offset, payload_length). Throws where
 * it is compressed otherwise than Debian 12 does it.
 */
export function unpackedKernel(image: Buffer): Buffer {
  const setupSectors = image.readUInt8(0x1f1) || 4;
  const start = (setupSectors + 1) * 512 + image.readUInt32LE(0x248);
  const payload = image.subarray(start, start + image.readUInt32LE(0x24c));
  if (payload.readUInt32LE(0) !== LZ4_LEGACY) throw new Error("The kernel is not compressed with lz4");
  // The payload ends with the length of what it holds.
  const elf = Buffer.alloc(payload.readUInt32LE(payload.length - 4));
  let written = 0;
  for (let at = 4; written < elf.length; ) {
    const length = payload.readUInt32LE(at);
    const block = payload.subarray(at + 4, at + 4 + length);
    written = unpackBlock(block, elf, written);
    at += 4 + length;
  }
  return elf;
}

/** One LZ4 block, appended to what is in `to` up to `end`; gives the new end. */
function unpackBlock(from: Buffer, to: Buffer, end: number): number {
  let at = 0;
  const rest = (nibble: number): number => {
    let length = nibble;
    if (nibble !== 15) return length;
    for (;;) {
      const byte = from.readUInt8(at++);
      length += byte;
      if (byte !== 255) return length;
    }
  };
  while (at < from.length) {
    const token = from.readUInt8(at++);
    const literals = rest(token >> 4);
    from.copy(to, end, at, at + literals);
    at += literals;
    end += literals;
    // The last sequence has no match.
    if (at >= from.length) break;
    const offset = from.readUInt16LE(at);
    at += 2;
    const length = rest(token & 15) + 4;
    // A match may reach into what it is writing.
    for (let copied = 0; copied < length; copied++, end++) to[end] = to[end - offset] ?? 0;
  }
  return end;
}
