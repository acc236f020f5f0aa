// NVSwitch partitions: an instance gets GPUs that form one, starts when it is active, and leaves none behind.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { killHost, putSimulatedPartitions } from "../../src/engines/simulated/database.ts";
import { HelperError, type HelperList } from "../../src/gpus/helper.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { waitsForPartition } from "../../src/rental/gpus/partitions/waiting.ts";
import { setGpuPolicy } from "../../src/rental/gpus/policies.ts";
import { claimResets } from "../../src/rental/gpus/resets.ts";
import {
  active,
  auditPartitions,
  beginPartitions,
  FaultyFabric,
  host,
  launch,
  letTimePass,
  predefined,
  quick,
  reallyActive,
  stage,
  work,
} from "../support/partitions.ts";
import { refusal } from "../support/refusals.ts";

beginPartitions();

const end = async ({ id, principal }: Awaited<ReturnType<typeof launch>>) => {
  await stage.world.change(principal, "terminate", [id]);
};
const setPolicy = () =>
  stage.world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "reset", validation: null }));

describe("a host whose helper reports partitions", () => {
  it("has them, with their GPUs by module id, and the version of its fabric manager", async () => {
    await work();
    const sets = await predefined();
    expect(sets.map(({ length }) => length).sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 8]);
    const { rows } = await sql`select version, read_due, due_at is not null as periodic from gpu_fabrics`.execute(
      stage.db,
    );
    expect(rows).toEqual([{ version: "570.124.06", read_due: false, periodic: true }]);
    await auditPartitions();
  });

  it("starts a machine when its partition is active, and leaves none active after it", async () => {
    await setPolicy();
    await work();
    const one = await launch(4);
    expect(await predefined()).toContainEqual(one.gpuAddresses);
    expect(await reallyActive()).toEqual([]);
    const reconciler = stage.reconciler(quick);
    await reconciler.idle();
    expect(await stage.state(one.id)).toBe("active");
    expect(await reallyActive()).toEqual([one.gpuAddresses]);
    await end(one);
    await reconciler.idle();
    await reconciler.idle();
    expect(await stage.state(one.id)).toBe("terminated");
    expect(await reallyActive()).toEqual([]);
    expect(new Set((await listGpus(stage.db, undefined, { host })).map(({ state }) => state))).toEqual(
      new Set(["free"]),
    );
    await auditPartitions();
  });

  it("rejects a size that no partition has, and a size whose partitions are broken", async () => {
    await work();
    await expect(launch(3)).rejects.toThrow(/capacity/);
    await launch(1);
    await expect(launch(8)).rejects.toThrow(/capacity/);
    await launch(4);
    await expect(launch(4)).rejects.toThrow(/capacity/);
    await launch(2);
    await launch(1);
    await expect(launch(1)).rejects.toThrow(/capacity/);
    await auditPartitions();
  });

  it("does not start a machine while its fabric manager does not respond", async () => {
    await work();
    const { id } = await launch(2);
    await killHost(stage.db, host);
    const reconciler = stage.reconciler(quick);
    await reconciler.idle();
    expect(await stage.state(id)).toBe("booting");
    expect(await stage.machines()).toEqual([]);
  });
});

describe("what the fabric manager reports", () => {
  const fabric = async () =>
    new FaultyFabric((await listGpus(stage.db, undefined, { host })).map(({ address }) => address));

  it("is made what is wanted after it restarted: lost partitions are activated again, leaked ones deactivated", async () => {
    const helper = await fabric();
    await work(undefined, helper);
    const { id, gpuAddresses } = await launch(4);
    await work(undefined, helper);
    expect(helper.activeGpus).toEqual([gpuAddresses]);
    helper.active.clear();
    helper.active.add("0");
    for (let round = 0; round < 3; round++) {
      await letTimePass();
      await work(undefined, helper);
    }
    expect(helper.activeGpus).toEqual([gpuAddresses]);
    expect(await active()).toEqual([{ addresses: gpuAddresses, active_for: id, reported: true }]);
    await auditPartitions();
  });

  it("leaves a partition active that an instance had before it was known", async () => {
    const helper = await fabric();
    await work(undefined, helper);
    const { id, gpuAddresses } = await launch(8);
    await sql`delete from gpu_fabrics`.execute(stage.db);
    await sql`insert into gpu_fabrics (host) values (${host})`.execute(stage.db);
    helper.active.add("0");
    await work(undefined, helper);
    expect(await active()).toEqual([{ addresses: gpuAddresses, active_for: id, reported: true }]);
  });

  it.each<[string, (list: HelperList) => HelperList]>([
    ["no partitions at all", (list) => ({ ...list, partitions: [] })],
    ["not the active one", (list) => ({ ...list, partitions: list.partitions.filter(({ isActive }) => !isActive) })],
    [
      "a GPU without its module id",
      (list) => ({ ...list, gpus: list.gpus.map((gpu) => ({ ...gpu, moduleId: null })) }),
    ],
    ["one GPU less", (list) => ({ ...list, gpus: list.gpus.filter(({ moduleId }) => moduleId !== 1) })],
  ])("is not taken for the end of an active partition when it lists %s", async (_what, change) => {
    await setPolicy();
    const helper = await fabric();
    const all = helper.list.bind(helper);
    await work(undefined, helper);
    const one = await launch(4);
    await work(undefined, helper);
    const [before] = helper.activeGpus;
    expect(before).toEqual(one.gpuAddresses);
    await stage.world.tx((tx) => sql`update gpus set instance_id = null where instance_id = ${one.id}`.execute(tx));
    helper.list = async (...call) => change(await all(...call));
    const resets = () => claimResets(stage.db, "simulated", { hosts: 10, gpus: 64 }, 60);
    for (let round = 0; round < 2; round++) {
      await letTimePass();
      await sql`update gpu_fabrics set read_requests = read_requests + 1`.execute(stage.db);
      await work(undefined, helper);
      if (helper.activeGpus.length > 0) expect(await resets()).toEqual([]);
    }
    await expect(launch(3)).rejects.toThrow(/capacity/);
    helper.list = all;
    await letTimePass();
    await work(undefined, helper);
    expect(helper.activeGpus).toEqual([]);
    expect((await resets()).flatMap(({ gpus }) => gpus.map(({ address }) => address)).sort()).toEqual(one.gpuAddresses);
  });

  it("is asked for no partition whose id means other GPUs than those of its instance", async () => {
    const helper = await fabric();
    const all = helper.list.bind(helper);
    await work(undefined, helper);
    const { id } = await launch(4);
    const exchanged = (list: HelperList) => {
      const other = (of: string) => ({ 1: "2", 2: "1" })[of] ?? of;
      return { ...list, partitions: list.partitions.map((each) => ({ ...each, id: other(each.id) })) };
    };
    helper.list = async (...call) => exchanged(await all(...call));
    await sql`update gpu_fabrics set read_requests = read_requests + 1`.execute(stage.db);
    for (let round = 0; round < 3; round++) {
      await letTimePass();
      await work(undefined, helper);
    }
    expect(helper.activeGpus).toEqual([]);
    expect(await waitsForPartition(stage.db, host, id)).toBe(true);
  });

  it("quarantines GPUs whose partition cannot be deactivated, and resets none of them", async () => {
    await setPolicy();
    const helper = await fabric();
    await work(undefined, helper);
    const one = await launch(2);
    await work(undefined, helper);
    await stage.world.tx((tx) => sql`update gpus set instance_id = null where instance_id = ${one.id}`.execute(tx));
    helper.deactivate = () => Promise.reject(new HelperError("fabric-failed", "Nothing was deactivated."));
    for (let round = 0; round < 4; round++) {
      await letTimePass();
      await work(undefined, helper);
      expect(await claimResets(stage.db, "simulated", { hosts: 10, gpus: 64 }, 60)).toEqual([]);
    }
    const gpus = await listGpus(stage.db, undefined, { host, state: "quarantined" });
    expect(gpus.map(({ address }) => address)).toEqual(one.gpuAddresses);
    expect(gpus[0]).toMatchObject({ reason: "partition-active", evidence: "Nothing was deactivated." });
  });

  it("is not relied on after a restart of the host until it is read again", async () => {
    await work();
    await launch(4);
    await work();
    const due = async () => (await sql`select from gpu_fabrics where read_due`.execute(stage.db)).rows.length;
    expect(await due()).toBe(0);
    await sql`update hosts set daemon_run = 'another' where name = ${host}`.execute(stage.db);
    expect(await due()).toBe(1);
  });

  it("is not asked for again on a host without a helper, until the service starts with one", async () => {
    const due = async () => (await sql`select from gpu_fabrics where due_at is not null`.execute(stage.db)).rows.length;
    await work(undefined, null);
    expect(await due()).toBe(0);
    await work();
    expect(await predefined()).toHaveLength(15);
  });

  it("is read once more where the host restarts during a reading", async () => {
    await work();
    await letTimePass();
    const helper = await fabric();
    const listed = helper.list.bind(helper);
    let readings = 0;
    helper.list = async (...args) => {
      const list = await listed(...args);
      if (readings++ === 0) await sql`update hosts set daemon_run = 'another' where name = ${host}`.execute(stage.db);
      return list;
    };
    await work(undefined, helper);
    expect(readings).toBe(2);
    expect((await sql`select from gpu_fabrics where read_due`.execute(stage.db)).rows).toEqual([]);
  });
});

describe("an image that needs a driver branch", () => {
  const order = async (driverBranch: string) => {
    const { name: instanceType } = await stage.world.product({ gpus: 2 });
    const { name } = await stage.world.image({ driverBranch, isDefault: false });
    return { instanceType, image: { name } };
  };

  it("is launched where the fabric manager has it, and rejected with both branches where none has", async () => {
    await work();
    const principal = await stage.world.account();
    await stage.world.launchOne(principal, await order("570"));
    const { fields } = await refusal("invalid-parameters", stage.world.launchOne(principal, await order("580")));
    expect(JSON.stringify(fields)).toMatch(/needs driver branch 580; the fabric managers .* have 570/);
  });

  it("goes to the host that matches, and finds no capacity when that is full", async () => {
    const other = await stage.host({ gpus: 8 });
    await putSimulatedPartitions(stage.db, other);
    await work();
    await sql`update gpu_fabrics set version = '580.65.06' where host = ${other}`.execute(stage.db);
    await sql`update hosts set name = name`.execute(stage.db);
    const principal = await stage.world.account();
    for (let each = 0; each < 4; each++) {
      const { host: placed } = await stage.world.launchOne(principal, await order("580"));
      expect(placed).toBe(other);
    }
    await expect(stage.world.launchOne(principal, await order("580"))).rejects.toThrow(/capacity/);
    await auditPartitions();
  });
});
