import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type Machine, rightsToBuild } from "./rights.ts";

const all = ["mmdebstrap", "zstd", "tar", "newuidmap"];

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
    expect(await rightsToBuild(await machine({ uid: 0, ...refuses }, ["mmdebstrap", "zstd", "tar"]))).toBe("root");
  });

  it("is everybody who has lent ids, on a kernel with user namespaces", async () => {
    expect(await rightsToBuild(await machine())).toBe("user");
  });

  it.each([
    ["without user namespaces", { canUnshare: async () => false }, all],
    ["without ids in /etc/subuid", { user: "an" }, all],
    ["without newuidmap", {}, all.slice(0, 3)],
  ])("is nobody else: %s", async (_, part, programs) => {
    await expect(rightsToBuild(await machine(part, programs))).rejects.toMatchObject({
      message: "Building an image takes root, or user namespaces for everyone.",
      suggestion: expect.stringContaining("Run it as root."),
    });
  });

  it.each(["mmdebstrap", "zstd", "tar"])("is told how to install %s where it is missing", async (missing) => {
    const others = all.filter((name) => name !== missing);
    await expect(rightsToBuild(await machine({ uid: 0 }, others))).rejects.toMatchObject({
      message: `${missing} is missing.`,
      suggestion: `Install it: apt-get install ${missing}`,
    });
  });
});
