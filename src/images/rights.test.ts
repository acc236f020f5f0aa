import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { imageKinds } from "./recipe.ts";
import { type Machine, rightsToBuild } from "./rights.ts";

const needs = {
  container: ["mmdebstrap", "zstd", "tar"],
  "virtual-machine": ["mmdebstrap", "sfdisk", "mformat", "mcopy", "mke2fs", "qemu-img"],
};
const all = [...needs.container, "newuidmap"];

async function machine(part: Partial<Machine> = {}, programs = all): Promise<Machine> {
  const path = await temporaryDirectory();
  for (const name of programs) {
    await writeFile(join(path, name), "");
    await chmod(join(path, name), 0o755);
  }
  const subuid = async () => "root:100000:65536\nann:165536:65536\n";
  return { path, uid: 1000, user: "ann", subuid, canUnshare: async () => true, ...part };
}

describe("who may build an image", () => {
  it("is root, without anything else", async () => {
    const refuses = { subuid: async () => "", canUnshare: async () => false };
    expect(await rightsToBuild("container", await machine({ uid: 0, ...refuses }, needs.container))).toBe("root");
  });

  it("is everybody who has lent ids, on a kernel with user namespaces", async () => {
    expect(await rightsToBuild("container", await machine())).toBe("user");
  });

  it.each([
    ["without user namespaces", { canUnshare: async () => false }, all],
    ["without ids in /etc/subuid", { user: "an" }, all],
    ["without newuidmap", {}, all.slice(0, 3)],
  ])("is nobody else: %s", async (_, part, programs) => {
    await expect(rightsToBuild("container", await machine(part, programs))).rejects.toMatchObject({
      message: "Building an image requires root, or user namespaces for all users.",
      suggestion: expect.stringContaining("Run it as root."),
    });
  });

  it.each([
    ["container", "mmdebstrap", "mmdebstrap"],
    ["container", "zstd", "zstd"],
    ["container", "tar", "tar"],
    ["virtual-machine", "mmdebstrap", "mmdebstrap"],
    ["virtual-machine", "sfdisk", "fdisk"],
    ["virtual-machine", "mformat", "mtools"],
    ["virtual-machine", "mcopy", "mtools"],
    ["virtual-machine", "mke2fs", "e2fsprogs"],
    ["virtual-machine", "qemu-img", "qemu-utils"],
  ] as const)("is told, for a %s, how to install %s where it is missing", async (kind, missing, packageName) => {
    const others = needs[kind].filter((name) => name !== missing);
    await expect(rightsToBuild(kind, await machine({ uid: 0 }, others))).rejects.toMatchObject({
      message: `${missing} is missing.`,
      suggestion: `Install it: apt-get install ${packageName}`,
    });
  });

  it.each(imageKinds)("needs no more than the programs of its kind: %s", async (kind) => {
    expect(await rightsToBuild(kind, await machine({ uid: 0 }, needs[kind]))).toBe("root");
  });
});
