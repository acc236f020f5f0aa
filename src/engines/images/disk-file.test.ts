import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { qcow2Head } from "../../../test/support/qcow2-head.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { readDiskFile } from "./disk-file.ts";

const run = promisify(execFile);

async function fileOf(content: Buffer): Promise<string> {
  const file = join(await temporaryDirectory(), "disk");
  writeFileSync(file, content);
  return file;
}
const judged = async (content: Buffer) => readDiskFile(await fileOf(content));

function rawDisk(part: { at: number; mark: string }, bytes = 128 * 1024): Buffer {
  const disk = Buffer.alloc(bytes);
  disk.write(part.mark, part.at, "latin1");
  return disk;
}

describe("a file that machines can be made of", () => {
  it("is a qcow2, whose disk may be larger than the file", async () => {
    const content = Buffer.concat([qcow2Head({ diskBytes: 5 * 1024 ** 3 }), Buffer.alloc(1000)]);
    expect(await judged(content)).toMatchObject({ format: "qcow2", bytes: content.length, diskBytes: 5 * 1024 ** 3 });
    expect(await judged(qcow2Head({ version: 2, diskBytes: 512 }))).toMatchObject({ format: "qcow2" });
  });

  it.each([
    ["a partition table", { at: 510, mark: "\x55\xaa" }],
    ["ext4", { at: 1080, mark: "\x53\xef" }],
    ["XFS", { at: 0, mark: "XFSB" }],
    ["btrfs", { at: 65_600, mark: "_BHRfS_M" }],
  ])("is a raw disk with %s", async (_, part) => {
    expect(await judged(rawDisk(part))).toMatchObject({ format: "raw", bytes: 128 * 1024, diskBytes: 128 * 1024 });
  });
});

describe("a file that they cannot be made of", () => {
  it.each([
    ["with a backing file", { backingOffset: 0x70 }, /has a backing file.*qemu-img convert/],
    ["with its data elsewhere", { features: 4n }, /keeps its data in another file/],
    ["that is encrypted", { crypt: 2 }, /is encrypted/],
    ["that is damaged", { features: 2n }, /qemu-img check/],
    ["of the future", { version: 4 }, /unknown version 4/],
    ["without a disk", { diskBytes: 0 }, /size 0/],
  ])("is a qcow2 %s", async (_, part, why) => {
    await expect(judged(qcow2Head(part))).rejects.toThrow(why);
  });

  it("is a qcow2 that was cut off", async () => {
    await expect(judged(qcow2Head({}).subarray(0, 50))).rejects.toThrow(/truncated/);
  });

  it.each([
    ["gzip", "\x1f\x8b\x08", 0, /compressed/],
    ["tar", "ustar", 257, /tar archive/],
    ["VMDK", "KDMV", 0, /convert/],
    ["LUKS", "LUKS\xba\xbe", 0, /encrypted/],
    ["ISO", "CD001", 32_769, /CD image/],
    ["text", "hello", 0, /neither qcow2 nor a disk/],
  ])("is one in %s", async (_, mark, at, why) => {
    await expect(judged(rawDisk({ at, mark }))).rejects.toThrow(why);
  });

  it("is a raw disk that ends within a sector", async () => {
    await expect(judged(rawDisk({ at: 510, mark: "\x55\xaa" }, 100_001))).rejects.toThrow(/whole number of sectors/);
  });

  it("is no file, is empty, or is not there; and nobody waits for a pipe", async () => {
    const directory = await temporaryDirectory();
    await run("mkfifo", [join(directory, "pipe")]);
    await expect(readDiskFile(join(directory, "pipe"))).rejects.toThrow(/not a file/);
    await expect(readDiskFile(directory)).rejects.toThrow(/not a file/);
    await expect(readDiskFile(join(directory, "nothing"))).rejects.toThrow(/ENOENT/);
    await expect(judged(Buffer.alloc(0))).rejects.toThrow(/empty/);
  });
});
