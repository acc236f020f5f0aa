// What the reconciler does besides instances: the inventory of hosts, periodic duties among several servers, and living
// through the loss of hints, of an engine and of the database.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import {
  forgive,
  injectFaults,
  killHost,
  putSimulatedHost,
  removeSimulatedHost,
  setGpuHealth,
} from "../../src/engines/simulated/database.ts";
import { takeScheduledJob } from "../../src/reconciler/job-store.ts";
import { LatestReadings } from "../../src/reconciler/latest-readings.ts";
import { deleteOldIdempotencyKeys } from "../../src/reconciler/maintenance/idempotency-key-retention.ts";
import { periodically } from "../../src/reconciler/periodic.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { syncHosts } from "../../src/reconciler/sync-hosts.ts";
import { deregisterHost, registerHost } from "../../src/rental/capacity/host-changes.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { removeHost } from "../../src/rental/capacity/host-store.ts";
import { auditCapacity } from "../support/audit.ts";
import { quiet, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

/** What a host sync of this engine needs. */
const syncOf = (engine: Engine) => ({
  ...{ db: stage.db, engine, settings: withDefaults(quiet), log: stage.log },
  readings: new LatestReadings(),
});

const bare = { region: "somewhere-new", vcpus: 8, memoryGib: 64, storageGb: 500, gpus: [] };
const hosts = () => stage.db.selectFrom("hosts").select(["name", "region", "available"]).orderBy("name").execute();

describe("the inventory", () => {
  it("brings in new hosts, and the regions they are in", async () => {
    await putSimulatedHost(stage.db, { ...bare, name: "new-1" });
    await stage.reconciler().sweepNow();
    expect(await hosts()).toEqual([{ name: "new-1", region: "somewhere-new", available: true }]);
    await auditCapacity(stage.db);
  });

  it("makes a host unavailable that is dead, or no longer there", async () => {
    const [dead, gone] = [await stage.host(), await stage.host()];
    await killHost(stage.db, dead);
    await removeSimulatedHost(stage.db, gone);
    await stage.reconciler().sweepNow();
    expect((await hosts()).map((host) => host.available)).toEqual([false, false]);
  });

  it("takes a broken GPU out of the offer, and brings it back", async () => {
    const name = await stage.host({ gpus: 2 });
    const reconciler = stage.reconciler();
    const free = async () => (await stage.db.selectFrom("gpu_pools").select("free").executeTakeFirstOrThrow()).free;
    await setGpuHealth(stage.db, name, "0000:01:00.0", false);
    await reconciler.sweepNow();
    expect(await free()).toBe(1);
    await setGpuHealth(stage.db, name, "0000:01:00.0", true);
    await reconciler.sweepNow();
    expect(await free()).toBe(2);
  });

  it("writes nothing where nothing changed", async () => {
    await stage.host();
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    const changedIn = () => stage.db.selectFrom("hosts").select("changed_in").execute();
    const before = await changedIn();
    await reconciler.sweepNow();
    expect(await changedIn()).toEqual(before);
  });

  it("does not bring back a host that was removed while the engine was asked", async () => {
    const name = await stage.host();
    const engine = stage.engine();
    const sizes = { vcpus: 1, memoryGib: 1, storageGb: 1 };
    const report = {
      name,
      region: "north",
      ...sizes,
      available: true,
      sharedStorage: true,
      multiAttach: true,
      gpus: [],
    };
    engine.hosts = async () => {
      await stage.world.tx((tx) => removeHost(tx, name));
      return [report];
    };
    await syncHosts(syncOf(engine), new AbortController().signal);
    expect(await hosts()).toEqual([]);
  });

  it("goes on with the other hosts when one cannot be stored", async () => {
    await stage.world.host({ name: "taken", engine: "another" });
    for (const name of ["taken", "free"]) await putSimulatedHost(stage.db, { ...bare, name });
    await stage.reconciler().sweepNow();
    expect((await hosts()).map((host) => host.name)).toEqual(["free", "taken"]);
    expect(stage.logged).toContainEqual(expect.objectContaining({ level: "error", host: "taken" }));
  });

  it("keeps what an operator made of a host, through whatever the engine says later", async () => {
    const name = await stage.host({ gpus: 2 });
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    const gpus = [{ address: "0000:02:00.0", model: "h100_sxm", memoryGib: 94, numaNode: 0 }];
    const wanted = { name, region: "north", vcpus: 60, memoryGib: 1000, storageGb: 3000, gpus };
    // Nothing declares hosts of this engine here, as of a real one.
    await stage.world.tx((tx) => registerHost(tx, new Map(), { ...wanted, engine: "simulated" }));
    const shown = async () => {
      const { vcpus, memoryGib, storageGb, gpus: all, available } = await readHost(stage.db, name);
      return { vcpus, memoryGib, storageGb, available, models: all.map((gpu) => gpu.model) };
    };
    const overridden = { vcpus: 60, memoryGib: 512, storageGb: 3000, available: true, models: ["H100", "h100_sxm"] };
    const changedIn = () => stage.db.selectFrom("hosts").select("changed_in").execute();
    const before = await changedIn();
    await reconciler.sweepNow();
    expect([await shown(), await changedIn()]).toEqual([overridden, before]);

    const [first, second] = [0, 1].map((node) => ({
      address: `0000:0${node + 1}:00.0`,
      model: "H200",
      memoryGib: 141,
      numaNode: node,
    }));
    if (first === undefined || second === undefined) throw new Error("BUG: two of two are missing");
    const grown = { name, region: "north", vcpus: 48, memoryGib: 2000, storageGb: 4000, gpus: [first, second] };
    await putSimulatedHost(stage.db, grown);
    await reconciler.sweepNow();
    expect(await shown()).toEqual({ ...overridden, vcpus: 48, memoryGib: 1000, models: ["H200", "h100_sxm"] });
    await killHost(stage.db, name);
    await reconciler.sweepNow();
    expect(await shown()).toMatchObject({ vcpus: 48, available: false });
    await auditCapacity(stage.db);
  });

  it("brings a host back as it is found, when an operator deleted it and the engine still has it", async () => {
    const name = await stage.host();
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    const sizes = { vcpus: 8, memoryGib: 8, storageGb: 8 };
    const declared = { name, engine: "simulated", region: "north", ...sizes, gpus: [] };
    await stage.world.tx((tx) => registerHost(tx, new Map(), declared));
    await stage.world.tx((tx) => deregisterHost(tx, new Map(), name));
    await reconciler.sweepNow();
    expect(await readHost(stage.db, name)).toMatchObject({ vcpus: 64, overrides: null });
  });

  it("counts a host by the overrides of the moment it is stored, not of the moment it was asked for", async () => {
    const name = await stage.host();
    const engine = stage.engine();
    const ask = engine.hosts.bind(engine);
    engine.hosts = async (signal) => {
      const sizes = { vcpus: 8, memoryGib: 8, storageGb: 8 };
      const declared = { name, engine: "simulated", region: "north", ...sizes, gpus: [] };
      await stage.world.tx((tx) => registerHost(tx, new Map(), declared));
      return (await ask(signal)).map((host) => ({ ...host, storageGb: 5000 }));
    };
    await syncHosts(syncOf(engine), new AbortController().signal);
    expect(await readHost(stage.db, name)).toMatchObject({ vcpus: 8, storageGb: 8, overrides: { vcpus: 8 } });
  });

  it("lets nothing new onto the hosts of an engine that does not answer at the start, until it does", async () => {
    const name = await stage.host();
    const id = await injectFaults(stage.db, { kind: "unavailable", operation: "hosts" });
    const reconciler = stage.reconciler();
    await expect(reconciler.sweepNow()).rejects.toThrow();
    await expect.poll(hosts).toMatchObject([{ name, available: false }]);
    await forgive(stage.db, id);
    await reconciler.sweepNow();
    expect(await hosts()).toMatchObject([{ name, available: true }]);
  });
});

describe("a duty", () => {
  it("is taken by one server in each interval", async () => {
    const take = () => Promise.all([1, 2, 3].map(() => takeScheduledJob(stage.db, "sweep", 3600)));
    expect((await take()).filter(Boolean)).toHaveLength(1);
    expect((await take()).filter(Boolean)).toHaveLength(0);
    expect(await takeScheduledJob(stage.db, "another", 3600)).toBe(true);
    expect(await takeScheduledJob(stage.db, "sweep", 0)).toBe(true);
  });

  it("is done again although it failed, and not after it was stopped", async () => {
    let runs = 0;
    const duty = periodically("a test", 0.001, stage.log, async () => {
      runs += 1;
      throw new Error("no luck");
    });
    await expect.poll(() => runs).toBeGreaterThan(2);
    await duty.stop();
    const stopped = runs;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runs).toBe(stopped);
    expect(stage.logged).toContainEqual({ level: "warn", message: "a test failed", error: "no luck" });
  });

  it("is done at once when it is poked, once more when it was under way, and not after it was stopped", async () => {
    const runs: PromiseWithResolvers<void>[] = [];
    const duty = periodically("a test", 1000, stage.log, () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    });
    const pokes = [duty.poke(), duty.poke()];
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await expect.poll(() => runs).toHaveLength(2);
    runs[1]?.resolve();
    await Promise.all(pokes);
    const last = duty.poke();
    await expect.poll(() => runs).toHaveLength(3);
    runs[2]?.resolve();
    await last;
    await duty.stop();
    await duty.poke();
    expect(runs).toHaveLength(3);
  });

  it("is first done after a while where it is told so, at once when it is poked, and not after it was stopped", async () => {
    let runs = 0;
    const dutyAfter = (firstAfter: number) =>
      periodically("a test", 1000, stage.log, async () => void runs++, { firstAfter });
    const late = dutyAfter(1000);
    expect(runs).toBe(0);
    await late.poke();
    expect(runs).toBe(1);
    const soon = dutyAfter(0.001);
    await expect.poll(() => runs).toBe(2);
    const never = dutyAfter(0.001);
    await Promise.all([late, soon, never].map((duty) => duty.stop()));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runs).toBe(2);
  });

  const keysOfHours = async () => {
    const { accountId } = await stage.world.account();
    await sql`
      insert into idempotency_keys (account_id, key, scopes, answer_sealed, created_at)
      select ${accountId}, age::text, '{write}', '', now() - age * interval '1 hour' from generate_series(22, 26) as age
    `.execute(stage.db);
  };
  const keys = async () =>
    (await stage.db.selectFrom("idempotency_keys").select("key").orderBy("key").execute()).map(({ key }) => key);

  it("deletes idempotency keys that replay no more, and no others", async () => {
    await keysOfHours();
    expect(await deleteOldIdempotencyKeys(stage.db)).toBe(3);
    expect(await keys()).toEqual(["22", "23"]);
  });

  it("that has a long interval is done soon after the start of a server", async () => {
    await keysOfHours();
    stage.reconciler({ choreSeconds: 86_400, firstJobsSeconds: 0.01 });
    await expect.poll(keys).toEqual(["22", "23"]);
  });
});

describe("without hints", () => {
  it("work is found by the poll", async () => {
    await stage.host();
    const reconciler = stage.reconciler({ pollSeconds: 0.02 });
    await reconciler.idle();
    const { id } = await stage.launchOne();
    // As if the notification was lost: made due by hand, which tells nobody.
    await reconciler.idle();
    await sql`update instances set state = 'stopping', generation = 2, next_look_at = now() where id = ${id}`.execute(
      stage.db,
    );
    await expect.poll(() => stage.state(id)).toBe("stopped");
  });

  it("work is found by the notification long before the poll", async () => {
    await stage.host();
    const reconciler = stage.reconciler({ pollSeconds: 1000 });
    await reconciler.idle();
    // Only the listener can wake it now.
    await stage.listening();
    const { id } = await stage.launchOne();
    await expect.poll(() => stage.state(id)).toBe("active");
  });
});

describe("when its database connections are cut", () => {
  it("it goes on where it was", async () => {
    await stage.host();
    const reconciler = stage.reconciler({ leaseSeconds: 0.3, pollSeconds: 0.05 });
    const { id, principal } = await stage.launchOne();
    await reconciler.idle();
    const cut = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
        stage.db,
      );
    await stage.world.change(principal, "stop", [id]);
    await cut();
    await expect.poll(() => stage.state(id).catch(() => "unknown"), { timeout: 5000 }).toBe("stopped");
    expect(await stage.story(id)).toEqual(["booting", "active", "stopping", "stopped"]);
  });
});
