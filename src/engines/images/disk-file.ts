// The format of a disk image file on this machine, from its content, and whether machines can use it. The name proves
// nothing: a wrong format would become a disk that no guest boots from. Used by the imports of libvirt and OpenStack.

import { open } from "node:fs/promises";
import { fileSize } from "./file-size.ts";
import { ImportError } from "./import-error.ts";

export interface DiskFile {
  readonly format: "qcow2" | "raw";
  readonly bytes: number;
  /** The size of the disk in it. */
  readonly diskBytes: number;
  /** How much of the file is stored: less than its size if it is sparse. */
  readonly storedBytes: number;
}

/** As much as the signatures below need. */
const HEAD_BYTES = 64 * 1024 + 4096;

/** Throws ImportError for files that are unreadable or not a suitable disk. */
export async function readDiskFile(file: string): Promise<DiskFile> {
  const bytes = await fileSize(file);
  const { head, storedBytes } = await readHead(file);
  const { format, diskBytes, obstacle } = judge(head, bytes);
  if (obstacle !== undefined) throw new ImportError(`${file} ${obstacle}`);
  return { format, bytes, diskBytes, storedBytes };
}

async function readHead(file: string): Promise<{ head: Buffer; storedBytes: number }> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new ImportError(`${file} cannot be read: ${error.code}.`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { head: buffer.subarray(0, bytesRead), storedBytes: (await handle.stat()).blocks * 512 };
  } finally {
    await handle.close();
  }
}

interface Judgement {
  readonly format: DiskFile["format"];
  readonly diskBytes: number;
  /** Follows the file's name. */
  readonly obstacle?: string | undefined;
}

function judge(head: Buffer, bytes: number): Judgement {
  if (has(head, 0, "QFI\xfb")) return judgeQcow2(head);
  const raw = { format: "raw", diskBytes: bytes } as const;
  const other = others.find(({ at, mark }) => has(head, at, mark));
  if (other !== undefined) return { ...raw, obstacle: `is ${other.is}. ${other.instead}` };
  if (!isDisk(head)) {
    return { ...raw, obstacle: "is neither qcow2 nor a disk with a known partition table or file system." };
  }
  if (bytes % 512 !== 0) return { ...raw, obstacle: "is not a whole number of sectors: it might be truncated." };
  return raw;
}

const convert = "Convert it: qemu-img convert -O qcow2 <file> <file>.qcow2";
const unpack = "Unpack it first.";

const others: readonly { readonly at: number; readonly mark: string; readonly is: string; readonly instead: string }[] =
  [
    { at: 0, mark: "\x1f\x8b", is: "compressed (gzip), or an image of Incus or LXD", instead: unpack },
    { at: 0, mark: "\xfd7zXZ", is: "compressed (xz), or an image of Incus or LXD", instead: unpack },
    { at: 0, mark: "\x28\xb5\x2f\xfd", is: "compressed (zstd), or an image of Incus or LXD", instead: unpack },
    { at: 0, mark: "BZh", is: "compressed (bzip2)", instead: unpack },
    { at: 0, mark: "PK\x03\x04", is: "compressed (zip)", instead: unpack },
    { at: 257, mark: "ustar", is: "a tar archive", instead: unpack },
    { at: 0, mark: "KDMV", is: "a VMDK", instead: convert },
    { at: 0, mark: "# Disk DescriptorFile", is: "the description of a VMDK", instead: convert },
    { at: 0, mark: "vhdxfile", is: "a VHDX", instead: convert },
    { at: 0, mark: "conectix", is: "a VHD", instead: convert },
    { at: 64, mark: "\x7f\x10\xda\xbe", is: "a VDI", instead: convert },
    { at: 0, mark: "QED\0", is: "a QED", instead: convert },
    { at: 0, mark: "LUKS\xba\xbe", is: "encrypted (LUKS).", instead: "Machines cannot enter its passphrase." },
    {
      at: 32_769,
      mark: "CD001",
      is: "a CD image (ISO 9660)",
      instead: "Machines need an installed disk.",
    },
  ];

/** A boot sector (including the protective one of GPT), ext2 to ext4, XFS, or btrfs. */
function isDisk(head: Buffer): boolean {
  return (
    has(head, 510, "\x55\xaa") || has(head, 1080, "\x53\xef") || has(head, 0, "XFSB") || has(head, 65_600, "_BHRfS_M")
  );
}

/** Bits of incompatible features of version 3. Source: docs/interop/qcow2.txt of QEMU. */
const [DIRTY, CORRUPT, EXTERNAL_DATA] = [1n, 2n, 4n];

function judgeQcow2(head: Buffer): Judgement {
  const cut = { format: "qcow2", diskBytes: 0, obstacle: "is a truncated qcow2." } as const;
  if (head.length < 104) return cut;
  const version = head.readUInt32BE(4);
  const diskBytes = Number(head.readBigUInt64BE(24));
  const features = version >= 3 ? head.readBigUInt64BE(72) : 0n;
  const told = (obstacle?: string): Judgement => ({ format: "qcow2", diskBytes, obstacle });
  if (version !== 2 && version !== 3) return told(`is a qcow2 of the unknown version ${version}.`);
  if (head.readBigUInt64BE(8) !== 0n) {
    return told(
      "has a backing file, without which it is nothing. Make it whole: qemu-img convert -O qcow2 <file> <whole>",
    );
  }
  if ((features & EXTERNAL_DATA) !== 0n) {
    return told("keeps its data in another file. Make it whole: qemu-img convert -O qcow2 <file> <whole>");
  }
  if (head.readUInt32BE(32) !== 0) return told("is encrypted. Machines cannot enter its passphrase.");
  if ((features & (DIRTY | CORRUPT)) !== 0n) {
    return told("was not closed properly, or is damaged. Look at it: qemu-img check <file>");
  }
  return diskBytes === 0 ? told("is a disk of size 0.") : told();
}

function has(head: Buffer, at: number, mark: string): boolean {
  return head.subarray(at, at + mark.length).equals(Buffer.from(mark, "latin1"));
}
