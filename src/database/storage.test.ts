// Whether there is space to write: from the errors of a real PostgreSQL on a full disk, and from a reserve.

import { chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { emptyDatabase } from "../../test/support/database.ts";
import { smallDisk, whyNoDisk } from "../../test/support/small-disk.ts";
import { connect } from "./connect.ts";
import { isDiskFull } from "./disk-full.ts";
import { Storage, writeProbe } from "./storage.ts";
import { isUnavailable, mayHaveHappened } from "./unavailable.ts";

const withCode = (code: string, message = "") => Object.assign(new Error(message), { code });

describe("an error for want of space", () => {
  it.each([
    withCode("53100", 'could not extend file "base/5/1": No space left on device'),
    withCode("58030", 'could not write to file "pg_wal/xlogtemp.1": No space left on device'),
    withCode("58030", "could not write block 3 of temporary file: Disk quota exceeded"),
    withCode("ENOSPC"),
    new Error("could not launch", { cause: withCode("53100") }),
  ])("is one that says so: %s", (error) => {
    expect([isDiskFull(error), isUnavailable(error), mayHaveHappened(error)]).toEqual([true, true, false]);
  });

  it("is no other error of the disk, and no other lack", () => {
    expect(isDiskFull(withCode("58030", "could not read block 3: Input/output error"))).toBe(false);
    expect(isUnavailable(withCode("58030", "could not read block 3: Input/output error"))).toBe(false);
    const outOfMemory = withCode("53200", "out of memory");
    expect([isDiskFull(outOfMemory), isUnavailable(outOfMemory), mayHaveHappened(outOfMemory)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("the storage", () => {
  it("is full from an error on until a probe could write", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isFull = true;
    const probe = async () => {
      if (isFull) throw withCode("53100");
    };
    const said: string[] = [];
    const storage = new Storage({ probe, log: (line) => said.push(line) });
    expect(storage.isFull).toBe(false);
    storage.note();
    storage.note();
    expect(storage.isFull).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(storage.isFull).toBe(true);
    isFull = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(storage.isFull).toBe(false);
    expect(said).toHaveLength(2);
    storage.note();
    expect(storage.isFull).toBe(true);
    storage.stop();
  });

  it("is full while its reserve is released, which an error does at once", () => {
    const reserve = { isReleased: false, release: vi.fn() };
    const storage = new Storage({ probe: async () => {}, reserve, log: () => {} });
    storage.note();
    expect(reserve.release).toHaveBeenCalledOnce();
    storage.stop();
    expect(storage.isFull).toBe(false);
    reserve.isReleased = true;
    expect(storage.isFull).toBe(true);
  });
});

const why = whyNoDisk();

describe.skipIf(why !== undefined)(`a database on a full disk (${why ?? "a tmpfs"})`, () => {
  it("reports each statement that finds no space, and is probed until it has some", async () => {
    const { url, close } = await emptyDatabase();
    onTestFinished(close);
    const noted = vi.fn();
    const db = connect({ url, maxConnections: 2, onDiskFull: noted });
    onTestFinished(() => db.destroy());
    const disk = await smallDisk(8);
    const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(db);
    const owner = statSync(rows[0]?.data_directory ?? "");
    const place = join(disk.path, "tablespace");
    mkdirSync(place);
    chownSync(place, owner.uid, owner.gid);
    const name = `small_${process.pid}`;
    await sql`create tablespace ${sql.id(name)} location ${sql.lit(place)}`.execute(db);
    onTestFinished(async () => {
      await disk.free();
      await sql`drop table if exists rows_of_it`.execute(db);
      await sql`drop tablespace ${sql.id(name)}`.execute(db);
    });
    await sql`create table rows_of_it (filler text) tablespace ${sql.id(name)}`.execute(db);
    await writeProbe(db);
    await disk.fill();
    const more = sql`insert into rows_of_it select repeat('x', 1024) from generate_series(1, 4096)`;
    const error = await more.execute(db).catch((thrown: unknown) => thrown);
    expect([isDiskFull(error), isUnavailable(error), mayHaveHappened(error)]).toEqual([true, true, false]);
    expect(noted).toHaveBeenCalledOnce();

    // The probe writes where temporary tables are.
    const there = connect({ url: `${url}${url.includes("?") ? "&" : "?"}options=-c%20temp_tablespaces%3D${name}` });
    onTestFinished(() => there.destroy());
    expect(isDiskFull(await writeProbe(there).catch((thrown: unknown) => thrown))).toBe(true);
    await disk.free();
    await writeProbe(there);
    await sql`insert into rows_of_it values ('x')`.execute(db);
  });
});
