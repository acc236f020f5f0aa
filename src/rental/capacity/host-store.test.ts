// Hosts as they are reported, and the books when that contradicts what is held.

import { describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { allHosts } from "../hosts/host-scope.ts";
import { recordObservation } from "../instances/record-observation.ts";
import { removeHost, storedHosts, upsertHost } from "./host-store.ts";
import { type HostFacts, type HostOverrides, readingOf } from "./overrides.ts";

const world = worldOfFile();

const gpu = (index: number, healthy = true) => ({
  address: `gpu-${index}`,
  model: "H100",
  memoryGib: 80,
  numaNode: 0,
  healthy,
});
const facts = (part: Partial<HostFacts> = {}): HostFacts => ({
  engine: "simulated",
  name: "h1",
  region: "north",
  vcpus: 64,
  memoryGib: 512,
  storageGb: 4000,
  available: true,
  sharedStorage: true,
  multiAttach: true,
  gpus: [gpu(1), gpu(2), gpu(3), gpu(4)],
  ...part,
});

async function put(part: Partial<HostFacts> = {}) {
  await world.region("north");
  const shortfall = await world.tx((tx) => upsertHost(tx, facts(part)));
  await auditCapacity(world.db);
  return shortfall;
}
const host = () => world.db.selectFrom("hosts").selectAll().where("name", "=", "h1").executeTakeFirstOrThrow();
const pools = () => world.db.selectFrom("gpu_pools").selectAll().where("host", "=", "h1").orderBy("model").execute();
const fine = { overcommitted: false, lostGpus: [] };

/** Launches instances of 8 vCPUs, 64 GiB, 500 GB and one GPU. */
async function launch(quantity: number) {
  const principal = await world.account();
  await world.image();
  const product = await world.product();
  const instances = await world.launch(principal, { instanceType: product.name, quantity });
  return {
    principal,
    ids: instances.map((instance) => instance.id),
    gpus: instances.flatMap((one) => one.gpuAddresses),
  };
}

describe("a host that is reported", () => {
  it("is made with all of it free", async () => {
    expect(await put()).toEqual(fine);
    expect(await host()).toMatchObject({
      free_vcpus: 64,
      free_memory_gib: 512,
      free_storage_gb: 4000,
      available: true,
    });
    expect(await pools()).toEqual([{ host: "h1", model: "H100", total: 4, free: 4, fits: null }]);
    expect(await storedHosts(world.db, "simulated")).toEqual([
      { ...facts(), reported: readingOf(facts()), overrides: null },
    ]);
  });

  it("counts as its overrides say, and keeps what its engine said beside them", async () => {
    const gpus = [{ address: "gpu-2", model: "A6000", memoryGib: 48 }];
    const overrides: HostOverrides = { vcpus: 60, memoryGib: 1000, storageGb: 3000, gpus };
    await world.region("north");
    expect(await world.tx((tx) => upsertHost(tx, facts({ sharedStorage: false }), overrides))).toEqual(fine);
    await auditCapacity(world.db);
    expect(await host()).toMatchObject({ vcpus: 60, free_vcpus: 60, memory_gib: 512, free_storage_gb: 3000 });
    expect(await pools()).toMatchObject([
      { model: "A6000", total: 1, free: 1 },
      { model: "H100", total: 3, free: 3 },
    ]);
    expect(await storedHosts(world.db, "simulated")).toMatchObject([
      { vcpus: 60, sharedStorage: false, reported: readingOf(facts({ sharedStorage: false })), overrides },
    ]);
  });

  it.each([1, 2, 100])("is read with all others, in pages of %i", async (length) => {
    const other = { gpus: [gpu(1, false)], vcpus: 32 };
    for (const [name, part] of Object.entries({ h1: {}, h2: other, h3: {}, h4: { gpus: [] }, h5: other })) {
      await put({ name, ...part });
    }
    await world.db.updateTable("hosts").set({ reported: null }).where("name", "=", "h3").execute();
    const stored = await storedHosts(world.db, "simulated", allHosts, length);
    const of = (name: string, part: Partial<HostFacts> = {}) => ({ ...facts({ name, ...part }), overrides: null });
    const said = (part: Partial<HostFacts> = {}) => ({ reported: readingOf(facts(part)) });
    expect(stored).toEqual([
      { ...of("h1"), ...said() },
      { ...of("h2", other), ...said(other) },
      { ...of("h3"), reported: null },
      { ...of("h4", { gpus: [] }), ...said({ gpus: [] }) },
      { ...of("h5", other), ...said(other) },
    ]);
    expect(await storedHosts(world.db, "incus")).toEqual([]);
  });

  it("may have GPUs of whose memory the engine says nothing", async () => {
    expect(await put({ gpus: [{ ...gpu(1), memoryGib: 0 }] })).toEqual(fine);
    expect(await pools()).toMatchObject([{ total: 1, free: 1 }]);
  });

  it("again as it was, changes nothing", async () => {
    await put();
    await launch(2);
    const before = [await host(), await pools()];
    expect(await put()).toEqual(fine);
    const after = [{ ...(await host()), changed_in: expect.any(String) }, await pools()];
    expect(before).toEqual(after);
  });

  it("keeps an operator's cordon", async () => {
    await put();
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    await put({ vcpus: 128 });
    expect(await host()).toMatchObject({ mode: "cordoned", vcpus: 128, free_vcpus: 128 });
  });

  it("grows and shrinks by what is free", async () => {
    await put();
    await launch(2);
    expect(await put({ vcpus: 128, gpus: [1, 2, 3, 4, 5].map((index) => gpu(index)) })).toEqual(fine);
    expect(await host()).toMatchObject({ vcpus: 128, free_vcpus: 112 });
    expect(await pools()).toMatchObject([{ total: 5, free: 3 }]);
    expect(await put({ vcpus: 16 })).toEqual(fine);
    expect(await host()).toMatchObject({ vcpus: 16, free_vcpus: 0, available: true });
  });

  it("with less than is held, keeps what is held and takes nothing new until it fits", async () => {
    await put();
    const { principal, ids } = await launch(4);
    expect(await put({ vcpus: 8 })).toEqual({ overcommitted: true, lostGpus: [] });
    expect(await host()).toMatchObject({ vcpus: 32, free_vcpus: 0, available: false });

    await world.change(principal, "terminate", ids);
    for (const id of ids) await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
    await auditCapacity(world.db);
    expect(await put({ vcpus: 8 })).toEqual(fine);
    expect(await host()).toMatchObject({ vcpus: 8, free_vcpus: 8, available: true });
  });

  it("loses free GPUs, and keeps held ones as broken until they are given back", async () => {
    await put();
    const { principal, ids, gpus } = await launch(1);
    expect(await put({ gpus: [] })).toEqual({ overcommitted: false, lostGpus: gpus });
    expect(await pools()).toMatchObject([{ total: 1, free: 0 }]);

    await world.change(principal, "terminate", ids);
    for (const id of ids) await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
    await auditCapacity(world.db);
    expect(await put({ gpus: [] })).toEqual(fine);
    expect(await pools()).toEqual([]);
  });

  it("counts a broken GPU, and does not offer it", async () => {
    await put({ gpus: [gpu(1, false), gpu(2)] });
    expect(await pools()).toMatchObject([{ total: 2, free: 1 }]);
    await put({ gpus: [gpu(1), gpu(2)] });
    expect(await pools()).toMatchObject([{ total: 2, free: 2 }]);
  });

  it("with a GPU of another model, moves it to the other pool", async () => {
    await put({ gpus: [gpu(1), gpu(2)] });
    await put({ gpus: [gpu(1), { ...gpu(2), model: "A6000" }] });
    expect(await pools()).toMatchObject([
      { model: "A6000", total: 1, free: 1 },
      { model: "H100", total: 1, free: 1 },
    ]);
  });

  it("by another engine under a name that is taken, is refused", async () => {
    await put();
    await expect(put({ engine: "incus" })).rejects.toMatchObject({ kind: "conflict" });
    expect(await host()).toMatchObject({ engine: "simulated" });
  });

  it("while launches take from it, keeps the books right", async () => {
    await put();
    const principal = await world.account();
    await world.image();
    const product = await world.product();
    const launches = Array.from({ length: 4 }, () => world.launchOne(principal, { instanceType: product.name }));
    const syncs = Array.from({ length: 8 }, (_, index) =>
      world.tx((tx) => upsertHost(tx, facts({ vcpus: 64 + index }))),
    );
    await Promise.all([...launches, ...syncs]);
    await auditCapacity(world.db);
    expect(await pools()).toMatchObject([{ total: 4, free: 0 }]);
  });
});

describe("removing a host", () => {
  const remove = () => world.tx((tx) => removeHost(tx, "h1"));

  it("takes its GPUs and pools with it", async () => {
    await put();
    await remove();
    expect(await world.db.selectFrom("gpus").selectAll().execute()).toEqual([]);
    expect(await pools()).toEqual([]);
  });

  it("that is not there is told so", async () => {
    await expect(remove()).rejects.toMatchObject({ kind: "unknown-object", details: { ids: ["h1"] } });
  });

  it("that holds an instance is refused, until it is gone", async () => {
    await put();
    const { principal, ids } = await launch(1);
    await expect(remove()).rejects.toMatchObject({ kind: "conflict" });
    await world.change(principal, "terminate", ids);
    await expect(remove()).rejects.toMatchObject({ kind: "conflict" });
    for (const id of ids) await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
    await remove();
  });
});
