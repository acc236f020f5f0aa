// How a disk is put together, with tools that only say what they were told.

import { describe, expect, it } from "vitest";
import { diskOf } from "./disk.ts";
import type { VirtualMachineRecipe } from "./recipe.ts";
import type { Run } from "./site.ts";

const mib = 1024 * 1024;
const layout = { sizeMib: 2048, espMib: 256, journalMib: 64 };

interface Call {
  readonly by: "ourselves" | "who made the root";
  readonly name: string;
  readonly args: readonly string[];
}

async function packed() {
  const recipe: VirtualMachineRecipe = {
    name: "debian-12",
    kind: "virtual-machine",
    suite: "bookworm",
    packages: [],
    paths: [],
    scripts: { before: [], last: [] },
    disk: layout,
  };
  const calls: Call[] = [];
  const record =
    (by: Call["by"]): Run =>
    async (name, args) =>
      void calls.push({ by, name, args });
  const shape = diskOf(recipe);
  const site = { directory: "/w", root: "/w/rootfs", run: record("ourselves"), inside: record("who made the root") };
  await shape.pack(site, "/out/image.part");
  const args = (name: string) => calls.find((call) => call.name === name)?.args ?? [];
  /** The word after this one. */
  const option = (name: string, word: string) => args(name)[args(name).indexOf(word) + 1];
  return { shape, calls, args, option };
}

/** The partitions in MiB, of what sfdisk is told. */
function partitions(calls: readonly Call[]) {
  const table = calls.find(({ args }) => args[1]?.includes("sfdisk"))?.args.at(-1) ?? "";
  return [...table.matchAll(/start=(\d+)MiB, size=(\d+)MiB, type=(\S+), name=(\S+)/g)].map((match) => ({
    start: Number(match[1]),
    end: Number(match[1]) + Number(match[2]),
    type: match[3],
    name: match[4],
  }));
}

describe("the disk of a virtual machine", () => {
  it("has the EFI system partition first and the root after it, to the end, so that the root can grow", async () => {
    const { calls, args } = await packed();
    const [esp, root, ...others] = partitions(calls);
    expect(others).toEqual([]);
    expect(args("truncate")[0]).toBe(`--size=${layout.sizeMib}M`);
    expect([esp?.name, root?.name]).toEqual(["esp", "root"]);
    expect(esp?.type).toMatch(/^C12A7328-/);
    // A table of 17 KiB is before the first and after the last.
    expect(esp?.start).toBe(1);
    expect(root?.start).toBe(esp?.end);
    expect(root?.end).toBe(layout.sizeMib - 1);
  });

  it("has each file system where its partition is, and of its size", async () => {
    const { calls, args, option } = await packed();
    const [esp, root] = partitions(calls);
    if (esp === undefined || root === undefined) throw new Error("no partitions");
    expect(option("mformat", "-i")).toBe(`/w/disk.raw@@${esp.start}M`);
    expect(option("mformat", "-T")).toBe(`${((esp.end - esp.start) * mib) / 512}`);
    expect(option("mke2fs", "-E")?.split(",")).toContain(`offset=${root.start * mib}`);
    expect(args("mke2fs").slice(-2)).toEqual(["/w/disk.raw", `${(root.end - root.start) * 1024}k`]);
  });

  it("gives its file systems the names by which the scripts wrote that they are found", async () => {
    const { shape, option } = await packed();
    const [rootId, espId] = shape.scriptWords;
    expect(rootId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(espId).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/);
    expect(option("mke2fs", "-U")).toBe(rootId);
    expect(option("mformat", "-N")).toBe(espId?.replace("-", ""));
  });

  it("is called otherwise in every image", async () => {
    expect((await packed()).shape.scriptWords).not.toEqual((await packed()).shape.scriptWords);
  });

  it("is filled from the root and what the scripts put beside it, by who made them, and read by ourselves", async () => {
    const { calls, option } = await packed();
    expect(option("mke2fs", "-d")).toBe("/w/rootfs");
    expect(calls.find(({ args }) => args[1]?.includes("mcopy"))?.args.at(-1)).toBe("/w/esp");
    expect(calls.filter(({ by }) => by === "ourselves").map(({ name }) => name)).toEqual(["qemu-img"]);
    // Whatever the umask of the other one.
    expect(calls[0]).toMatchObject({ name: "install", args: ["-m", "644", "/dev/null", "/w/disk.raw"] });
  });

  it("is compressed into the file that is asked for", async () => {
    const { args } = await packed();
    expect(args("qemu-img")).toEqual(expect.arrayContaining(["convert", "-c", "qcow2", "compression_type=zstd"]));
    expect(args("qemu-img").slice(-2)).toEqual(["/w/disk.raw", "/out/image.part"]);
  });
});
