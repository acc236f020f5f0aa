// The reserve on a real disk that fills up.

import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { smallDisk, whyNoDisk } from "../../../test/support/small-disk.ts";
import { diskReserve } from "./disk-reserve.ts";

const MIB = 2 ** 20;
const sizes = { bytes: 4 * MIB, lowBytes: MIB };
const why = whyNoDisk();

describe.skipIf(why !== undefined)(`a reserve (${why ?? "on a tmpfs"})`, () => {
  const freeOf = (path: string) => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };

  it("takes its space where there is plenty, and keeps it", async () => {
    const { path } = await smallDisk(16);
    const reserve = diskReserve(path, () => {}, sizes);
    await reserve.look();
    const { size, blocks } = statSync(join(path, "disk-reserve"));
    expect([size, blocks * 512]).toEqual([4 * MIB, 4 * MIB]);
    expect(freeOf(path)).toBeLessThanOrEqual(12 * MIB);
    await reserve.look();
    expect(reserve.isReleased).toBe(false);
  });

  it("is released when the disk is full, and there again when there is space", async () => {
    const disk = await smallDisk(16);
    const said: string[] = [];
    const reserve = diskReserve(disk.path, (line) => said.push(line), sizes);
    await reserve.look();
    await disk.fill();
    expect(freeOf(disk.path)).toBe(0);
    await reserve.look();
    expect(reserve.isReleased).toBe(true);
    expect(freeOf(disk.path)).toBe(4 * MIB);
    // What was released is no space to take again.
    await reserve.look();
    expect([reserve.isReleased, existsSync(join(disk.path, "disk-reserve"))]).toEqual([true, false]);
    await disk.free();
    await reserve.look();
    expect([reserve.isReleased, existsSync(join(disk.path, "disk-reserve"))]).toEqual([false, true]);
    expect(said).toEqual([expect.stringContaining("is full"), expect.stringContaining("has space again")]);
  });

  it("that an earlier process created counts, and is released by the first look at a full disk", async () => {
    const disk = await smallDisk(16);
    await diskReserve(disk.path, () => {}, sizes).look();
    await disk.fill();
    const later = diskReserve(disk.path, () => {}, sizes);
    await later.look();
    expect([later.isReleased, freeOf(disk.path)]).toEqual([true, 4 * MIB]);
  });

  it("is not created where it would leave too little beside it", async () => {
    const { path } = await smallDisk(5);
    const reserve = diskReserve(path, () => {}, sizes);
    await reserve.look();
    expect([reserve.isReleased, existsSync(join(path, "disk-reserve"))]).toEqual([false, false]);
  });
});
