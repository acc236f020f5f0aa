import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../test/support/run-program.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { DataDirectoryInUse, lockDataDirectory } from "./data-directory-lock.ts";

describe("the lock of a data directory", () => {
  it("makes the directory, which nobody else may list, and files that nobody else may read", async () => {
    const directory = join(await temporaryDirectory(), "deep/data");
    const lock = await lockDataDirectory(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(directory)) expect((await stat(join(directory, file))).mode & 0o077).toBe(0);
    lock.release();
  });

  it("refuses a second program and names the directory and the holder's process", async () => {
    const directory = await temporaryDirectory();
    const holder = await runProgram("hold-lock.ts", [directory]);
    expect(holder.said).toBe("locked");
    const refused = lockDataDirectory(directory);
    await expect(refused).rejects.toThrow(`${directory} is in use by process ${holder.process.pid} on `);
    await expect(refused).rejects.toBeInstanceOf(DataDirectoryInUse);
  });

  it("refuses the same program a second time", async () => {
    const directory = await temporaryDirectory();
    const lock = await lockDataDirectory(directory);
    await expect(lockDataDirectory(directory)).rejects.toThrow(`process ${process.pid} on`);
    // That attempt opened and closed the same file, which must not have cost us the lock.
    expect((await runProgram("hold-lock.ts", [directory])).said).toMatch(/^DataDirectoryInUse: /);
    lock.release();
  });

  it("is free again after release, which may be called twice without harm", async () => {
    const directory = await temporaryDirectory();
    const first = await lockDataDirectory(directory);
    first.release();
    const second = await lockDataDirectory(directory);
    first.release();
    expect(existsSync(join(directory, "program.lock.holder"))).toBe(true);
    await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryInUse);
    second.release();
  });

  it("is free again after kill -9 of its holder, although its files are still there", async () => {
    const directory = await temporaryDirectory();
    for (let round = 0; round < 3; round++) {
      const holder = await runProgram("hold-lock.ts", [directory]);
      await holder.kill();
      expect(existsSync(join(directory, "program.lock.holder"))).toBe(true);
      (await lockDataDirectory(directory)).release();
    }
  });

  it("goes to exactly one of several that start at once, also over a dead holder's files", async () => {
    const directory = await temporaryDirectory();
    await (await runProgram("hold-lock.ts", [directory])).kill();
    const programs = await Promise.all(Array.from({ length: 5 }, () => runProgram("hold-lock.ts", [directory])));
    expect(programs.filter(({ said }) => said === "locked")).toHaveLength(1);
    expect(programs.filter(({ said }) => said.startsWith("DataDirectoryInUse"))).toHaveLength(4);
  });

  it("keeps locks of different names apart", async () => {
    const directory = await temporaryDirectory();
    const locks = [await lockDataDirectory(directory), await lockDataDirectory(directory, "postgres")];
    for (const lock of locks) lock.release();
  });

  it.runIf(process.getuid?.() !== 0)("says what to do when the directory belongs to somebody else", async () => {
    await expect(lockDataDirectory("/")).rejects.toThrow(/belongs to another user .* LESSOR_DATA_DIR/);
  });
});
