// The beginning of a qcow2 file, as docs/interop/qcow2.txt of QEMU has it, for tests that need no whole one.

interface HeadPart {
  readonly version?: number;
  readonly backingOffset?: number;
  readonly crypt?: number;
  /** The incompatible ones. */
  readonly features?: bigint;
  readonly diskBytes?: number;
}

export function qcow2Head(part: HeadPart): Buffer {
  const { version = 3, backingOffset = 0, crypt = 0, features = 0n, diskBytes = 1024 ** 3 } = part;
  const head = Buffer.alloc(112);
  head.write("QFI\xfb", "latin1");
  head.writeUInt32BE(version, 4);
  head.writeBigUInt64BE(BigInt(backingOffset), 8);
  head.writeBigUInt64BE(BigInt(diskBytes), 24);
  head.writeUInt32BE(crypt, 32);
  if (version >= 3) head.writeBigUInt64BE(features, 72);
  return head;
}
