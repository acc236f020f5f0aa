// File systems at the engine: the data outlives instances, and goes for certain when its account deletes it.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { EngineError, type FileSystemRef } from "../../src/engines/engine.ts";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { claimRemovals, finishRemoval, putRemovalOff } from "../../src/reconciler/file-system-removal-store.ts";
import { measureFileSystems } from "../../src/reconciler/file-system-usage.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { type ReconcilerSettings, withDefaults } from "../../src/reconciler/settings.ts";
import { deleteFileSystem, listFileSystems } from "../../src/rental/file-systems/file-systems.ts";
import type { Principal } from "../../src/rental/service.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { only } from "../support/world.ts";

const stage = stageOfFile();

/** A file system that an instance had which is gone, and the reconciler that saw to it. */
async function used(
  settings: Partial<ReconcilerSettings> = {},
): Promise<{ id: string; principal: Principal; reconciler: Reconciler }> {
  await stage.host();
  const reconciler = stage.reconciler(settings);
  const principal = await stage.world.account();
  const { id, name } = await stage.world.fileSystem(principal);
  const instance = await stage.launchOne({ principal, fileSystemNames: [name] });
  await reconciler.idle();
  await stage.world.change(principal, "terminate", [instance.id]);
  await reconciler.idle();
  return { id, principal, reconciler };
}

const drop = (principal: Principal, id: string) => stage.world.tx((tx) => deleteFileSystem(tx, principal, id));
const pending = () => stage.db.selectFrom("removed_file_systems").selectAll().execute();
async function volumes(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from simulated.file_systems`.execute(stage.db);
  return rows.map((row) => row.id);
}

describe("a file system", () => {
  it("is made with its first instance, and stays when that is terminated", async () => {
    const { id } = await used();
    expect(await volumes()).toEqual([id]);
    expect(await pending()).toEqual([]);
  });

  it("goes from the engine when it is deleted, without waiting for a poll", async () => {
    const { id, principal } = await used({ removalSeconds: 1000 });
    await stage.listening();
    await drop(principal, id);
    await expect.poll(volumes).toEqual([]);
    await expect.poll(pending).toEqual([]);
    expect(stage.logged).toContainEqual(expect.objectContaining({ message: "file system removed", fileSystem: id }));
  });

  it("that no instance ever had is nothing to any engine", async () => {
    const principal = await stage.world.account();
    await stage.world.region("north");
    const { id } = await stage.world.fileSystem(principal);
    await drop(principal, id);
    expect(await pending()).toEqual([]);
  });

  it("is removed where it was, once its storage is not shared", async () => {
    const host = await stage.host();
    await stage.db.updateTable("hosts").set({ shared_storage: false }).execute();
    const principal = await stage.world.account();
    const { id, name } = await stage.world.fileSystem(principal);
    const instance = await stage.launchOne({ principal, fileSystemNames: [name] });
    const engine = stage.engine();
    const asked: FileSystemRef[] = [];
    engine.removeFileSystem = async (fileSystem) => void asked.push(fileSystem);
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [instance.id]);
    await reconciler.idle();
    await drop(principal, id);
    await reconciler.idle();
    expect(asked).toEqual([{ id, host }]);
  });

  it("can be deleted only when the engine has confirmed that the instance is gone", async () => {
    await stage.host();
    const principal = await stage.world.account();
    const { id, name } = await stage.world.fileSystem(principal);
    const instance = await stage.launchOne({ principal, fileSystemNames: [name] });
    const reconciler = stage.reconciler({ retrySeconds: [0.001, 0.002] });
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove" });
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [instance.id]);
    await expect(drop(principal, id)).rejects.toMatchObject({ kind: "file-system-in-use" });
    await forgive(stage.db);
    await expect.poll(() => stage.state(instance.id)).toBe("terminated");
    await drop(principal, id);
    await reconciler.idle();
    expect(await volumes()).toEqual([]);
  });
});

describe("a removal that fails", () => {
  it.each([
    ["refuses", {}],
    ["unavailable", {}],
    // Longer than the calls that do not hang take on a busy machine.
    ["hangs", { engineCallSeconds: 1 }],
    ["loses-answer", {}],
  ] as const)("because the engine %s is logged, and tried again later until it is done", async (kind, settings) => {
    const { id, principal, reconciler } = await used({ removalSeconds: 1000, retrySeconds: [600, 600], ...settings });
    await injectFaults(stage.db, { kind, operation: "remove-file-system", times: 1 });
    await drop(principal, id);
    await reconciler.idle();
    expect(await pending()).toMatchObject([{ id, attempts: 1 }]);
    expect(stage.logged).toContainEqual(
      expect.objectContaining({ level: "warn", message: "cannot remove a file system", attempts: 1 }),
    );

    await travel(stage.db, "10 minutes");
    await reconciler.idle();
    expect(await pending()).toEqual([]);
    expect(await volumes()).toEqual([]);
  });

  it("is found by the poll when it is due again", async () => {
    const { id, principal } = await used({ removalSeconds: 0.01, retrySeconds: [0.001, 0.002] });
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove-file-system", times: 2 });
    await drop(principal, id);
    await expect.poll(volumes).toEqual([]);
    await expect.poll(pending).toEqual([]);
  });
});

describe("taking removals", () => {
  const settings = withDefaults({ ...quiet, engineCallSeconds: 100, leaseSeconds: 20, retrySeconds: [10, 60] });
  const engine = "simulated";
  const put = async (count: number) => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    const values = ids.map((id) => ({ id, engine, host: "h1" }));
    await stage.db.insertInto("removed_file_systems").values(values).execute();
    return ids;
  };
  const take = (limit = 10) => claimRemovals(stage.db, engine, limit, settings);
  const dueInSeconds = async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from next_try_at - now())::float8 as seconds from removed_file_systems`.execute(stage.db);
    return only(rows).seconds;
  };

  it("gives each to one server, of this engine only, no more than asked for", async () => {
    const ids = await put(4);
    expect(await claimRemovals(stage.db, "another", 10, settings)).toEqual([]);
    const taken = await Promise.all([take(2), take(2), take(2)]);
    expect(taken.every((some) => some.length <= 2)).toBe(true);
    const all = [...taken.flat(), ...(await take())];
    expect(all.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it("gives one whose server died to another, not before a call could be over", async () => {
    await put(1);
    await take();
    await travel(stage.db, "110 seconds");
    expect(await take()).toEqual([]);
    await travel(stage.db, "11 seconds");
    expect(await take()).toMatchObject([{ host: "h1", attempts: 2 }]);
  });

  it("puts a failed one off, longer each time, and not when another has taken it since", async () => {
    await put(1);
    const late = only(await take());
    await travel(stage.db, "1 hour");
    const second = only(await take());
    await putRemovalOff(stage.db, late, settings);
    expect(await dueInSeconds()).toBeGreaterThan(100);
    await putRemovalOff(stage.db, second, settings);
    expect(await dueInSeconds()).toBeGreaterThan(9);
    expect(await dueInSeconds()).toBeLessThanOrEqual(20);
    await sql`update removed_file_systems set attempts = 2000000000`.execute(stage.db);
    await putRemovalOff(stage.db, { ...second, attempts: 2_000_000_000 }, settings);
    expect(await dueInSeconds()).toBeLessThanOrEqual(60);
  });

  it("forgets one that is done, whoever did it", async () => {
    await put(1);
    const first = only(await take());
    await travel(stage.db, "1 hour");
    await take();
    await finishRemoval(stage.db, first);
    expect(await pending()).toEqual([]);
  });
});

describe("a server that stops in the middle of a removal", () => {
  it("leaves it to the next one at once", async () => {
    const { id, principal, reconciler } = await used({ removalSeconds: 1000, engineCallSeconds: 1000 });
    await injectFaults(stage.db, { kind: "hangs", operation: "remove-file-system", times: 1 });
    await drop(principal, id);
    reconciler.poke();
    await expect.poll(async () => (await pending())[0]?.attempts).toBe(1);
    await reconciler.stop();
    await stage.reconciler().idle();
    expect(await volumes()).toEqual([]);
    expect(await pending()).toEqual([]);
  });
});

describe("the use of file systems", () => {
  const fill = (id: string, bytes: number) =>
    sql`update simulated.file_systems set bytes_used = ${bytes} where id = ${id}`.execute(stage.db);
  const used = async (principal: Principal) =>
    (await listFileSystems(stage.db, principal)).map(({ bytesUsed }) => bytesUsed);
  const measure = (engine = stage.engine()) =>
    measureFileSystems(stage.db, engine, withDefaults(quiet), stage.log, new AbortController().signal);
  async function attached() {
    await stage.host();
    const principal = await stage.world.account();
    const { id, name } = await stage.world.fileSystem(principal);
    const reconciler = stage.reconciler();
    const instance = await stage.launchOne({ principal, fileSystemNames: [name] });
    await reconciler.idle();
    return { principal, id, instance, reconciler };
  }

  it("is measured while an instance has them, and by whoever serves the database without being told", async () => {
    const { principal, id } = await attached();
    await fill(id, 4096);
    await measure();
    expect(await used(principal)).toEqual([4096]);
    await fill(id, 8192);
    await stage.db.deleteFrom("settings").where("name", "like", "duty:measuring%").execute();
    stage.reconciler({ measureSeconds: 0.02 });
    await expect.poll(() => used(principal)).toEqual([8192]);
  });

  it("is measured once more after the last instance has gone, and then left alone", async () => {
    const { principal, id, instance, reconciler } = await attached();
    await measure();
    await fill(id, 12_288);
    await stage.world.change(principal, "terminate", [instance.id]);
    await reconciler.idle();
    await measure();
    expect(await used(principal)).toEqual([12_288]);
    await fill(id, 1);
    await measure();
    expect(await used(principal)).toEqual([12_288]);
  });

  it("keeps its last figure where the engine cannot say, or does not answer; the others are measured", async () => {
    const { principal, id } = await attached();
    await fill(id, 4096);
    await measure();
    const engine = stage.engine();
    engine.measureFileSystem = async () => undefined;
    await measure(engine);
    engine.measureFileSystem = async () => {
      throw new EngineError("unavailable", "host-unreachable", "The host does not respond.");
    };
    await measure(engine);
    expect(await used(principal)).toEqual([4096]);
    expect(stage.logged).toContainEqual(
      expect.objectContaining({ message: "cannot measure a file system", fileSystem: id }),
    );
  });
});
