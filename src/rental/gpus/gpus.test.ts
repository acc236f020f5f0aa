// The lifecycle of GPUs in the database: its CHECKs and its decision against the tables, and what operators decide.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { gpuStates, gpuTraits, handovers, handoverTraits } from "../../rules/gpu-lifecycle.ts";
import { storedHost, upsertHost } from "../capacity/host-store.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { quarantineGpu, releaseGpu, retestGpu } from "./decisions.ts";
import { listGpus, readGpu } from "./gpu-reading.ts";
import { listGpuPolicies, removeGpuPolicy, setGpuPolicy, validationDefaults } from "./policies.ts";
import { claimResets, recordReset } from "./resets.ts";

const world = worldOfFile();
const address = "0000:01:00.0";
let host: string;
let operator: string;
let name: string;

beforeEach(async () => {
  await world.empty();
  host = await world.host({ gpus: 2 });
  operator = (await world.account()).accountId;
  const account = await world.db.selectFrom("accounts").select("name").where("id", "=", operator);
  ({ name } = await account.executeTakeFirstOrThrow());
});

const state = async () => (await readGpu(world.db, host, address)).state;
const told = async () => {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', type, data ->> 'reason', 'by ' || (data ->> 'operator')) as line from events where type like 'gpu.%'
      and data ->> 'host' = ${host} order by position`.execute(world.db);
  return rows.map(({ line }) => line);
};
const quarantine = (reason: string) => world.tx((tx) => quarantineGpu(tx, host, address, { reason, by: operator }));
/** The pool's count. */
const free = async () => {
  const { rows } = await sql<{ free: number }>`select free from gpu_pools where host = ${host}`.execute(world.db);
  return rows[0]?.free;
};

/** An instance takes a GPU of the host. */
async function taken(): Promise<string> {
  await world.image();
  const { name: instanceType } = await world.product();
  const { id } = await world.launchOne(await world.account(), { instanceType });
  expect((await listGpus(world.db, undefined, { host, state: "held" })).length).toBe(1);
  return id;
}

/** Nothing of it is left. */
async function ends(id: string): Promise<void> {
  await world.tx((tx) => releaseCapacity(tx, [id]));
  await world.put(id, "terminated");
}

/** What its engine reports of the host. */
async function reportGpus(count: number): Promise<void> {
  const { reported: _, overrides: __, ...stored } = await storedHost(world.db, host);
  const gpus = Array.from({ length: count }, (_, index) => ({
    ...{ address: `0000:0${index + 1}:00.0`, model: "H100", memoryGib: 80, numaNode: 0, healthy: true },
  }));
  await world.tx((tx) => upsertHost(tx, { ...stored, gpus }));
}

describe("the database", () => {
  it("knows the states and policies of the tables", async () => {
    const { rows } = await sql<{ text: string }>`
      select pg_get_constraintdef(oid) as text from pg_constraint
      where conname in ('gpus_state_check', 'gpu_policies_handover_check') order by conname`.execute(world.db);
    const words = rows.map(({ text }) => [...text.matchAll(/'([a-z+]+)'/g)].map(([, word]) => word));
    expect(words).toEqual([handovers, gpuStates]);
  });

  it("lets no instance hold a GPU that is not offered, nor one be held without an instance", async () => {
    for (const one of gpuStates.filter((other) => !gpuTraits[other].isOffered && !gpuTraits[other].isHeld)) {
      await sql`
        update gpus set state = ${one}, validation_due = 'handover' where host = ${host} and address = ${address}`.execute(
        world.db,
      );
      const taking = sql`update gpus set instance_id = gen_random_uuid() where host = ${host} and address = ${address}`;
      await expect(taking.execute(world.db)).rejects.toThrow(`BUG: GPU ${address} of host ${host} is ${one}`);
    }
    const held = sql`update gpus set state = 'held' where host = ${host}`.execute(world.db);
    await expect(held).rejects.toThrow("gpus_held");
  });

  it("lets none be free that is to be validated, or that the machine of a validation has", async () => {
    const where = sql`where host = ${host} and address = ${address}`;
    const due = sql`update gpus set validation_due = 'handover' ${where}`;
    await expect(due.execute(world.db)).rejects.toThrow("gpus_validated");
    await sql`
      insert into gpu_validations (host, model, addresses, image, vcpus, memory_gib, storage_gb, nonce, deadline_seconds,
        attempts, quarantines_warnings, leased_until)
      values (${host}, 'H100', '{}', 'check', 1, 1, 1, 'n', 1, 1, false, now())`.execute(world.db);
    const has = sql`(select id from gpu_validations)`;
    const free = sql`update gpus set validation_id = ${has} ${where}`;
    await expect(free.execute(world.db)).rejects.toThrow("gpus_validated");
    const reset = sql`update gpus set state = 'sanitizing', validation_id = ${has} ${where}`;
    await expect(reset.execute(world.db)).rejects.toThrow("gpus_unused");
    await auditCapacity(world.db);
    await sql`delete from gpu_validations`.execute(world.db);
    await auditCapacity(world.db);
  });

  it.each(handovers)("leads a GPU whose instance is gone where the policy %s says", async (handover) => {
    const validation = handover === "reset+validate" ? { image: "check", ...validationDefaults } : null;
    await world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover, validation }));
    await ends(await taken());
    const states = (await listGpus(world.db, undefined, { host })).map((one) => one.state);
    expect(states.sort()).toEqual(["free", handoverTraits[handover].leadsTo].sort());
    await auditCapacity(world.db);
  });

  it("prefers the policy of the region", async () => {
    await world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "reset", validation: null }));
    await world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: "north", handover: "none", validation: null }));
    await ends(await taken());
    expect(await listGpus(world.db, undefined, { host, state: "sanitizing" })).toEqual([]);
  });
});

describe("a policy", () => {
  it("is set, listed, replaced and removed", async () => {
    const policy = { gpuModel: "H100", region: null, handover: "reset", validation: null } as const;
    await world.tx((tx) => setGpuPolicy(tx, policy));
    await world.tx((tx) => setGpuPolicy(tx, { ...policy, region: "north", handover: "none" }));
    expect(await listGpuPolicies(world.db)).toEqual([policy, { ...policy, region: "north", handover: "none" }]);
    await world.tx((tx) => removeGpuPolicy(tx, "H100", "north"));
    await refusal(
      "unknown-object",
      world.tx((tx) => removeGpuPolicy(tx, "H100", "north")),
    );
    expect(await listGpuPolicies(world.db)).toEqual([policy]);
  });

  it("is refused for what is not there", async () => {
    const policy = { gpuModel: "H100", region: null, handover: "reset", validation: null } as const;
    await refusal(
      "unknown-name",
      world.tx((tx) => setGpuPolicy(tx, { ...policy, gpuModel: "H1000" })),
    );
    await refusal(
      "unknown-name",
      world.tx((tx) => setGpuPolicy(tx, { ...policy, region: "nowhere" })),
    );
  });
});

describe("a quarantined GPU", () => {
  it("is not offered until it is released in two steps", async () => {
    expect(await quarantine("ECC")).toMatchObject({ state: "quarantined", reason: "ECC", healthy: true });
    expect(await free()).toBe(1);
    const release = (confirmation?: string) =>
      world.tx((tx) => releaseGpu(tx, host, address, { confirmation, by: operator }));
    const preview = await release();
    expect(preview).toMatchObject({ isReleased: false, gpu: { state: "quarantined" } });
    await quarantine("ECC again");
    await refusal("conflict", release(preview.confirmation));
    const { confirmation } = await release();
    expect(await release(confirmation)).toMatchObject({ isReleased: true, gpu: { state: "free", reason: null } });
    await refusal("conflict", release(confirmation));
    expect(await free()).toBe(2);
    expect(await told()).toEqual([`gpu.quarantined ECC by ${name}`, `gpu.released ECC again by ${name}`]);
    await auditCapacity(world.db);
  });

  it("stays with the instance that has it, and is quarantined when that is gone", async () => {
    const id = await taken();
    const [held] = await listGpus(world.db, undefined, { host, state: "held" });
    const decide = () =>
      world.tx((tx) => quarantineGpu(tx, host, held?.address ?? "", { reason: "XID 79", by: operator }));
    expect(await decide()).toMatchObject({ state: "held", quarantineNext: "XID 79", instanceId: id });
    await ends(id);
    expect(await readGpu(world.db, host, held?.address ?? "")).toMatchObject({
      state: "quarantined",
      reason: "XID 79",
      quarantineNext: null,
      instanceId: null,
    });
    expect(await told()).toEqual([`gpu.quarantined XID 79 by ${name}`]);
    await auditCapacity(world.db);
  });

  it("stays so while its engine does not report it, and when it does again", async () => {
    await quarantine("Fell off the bus");
    await reportGpus(0);
    expect(await readGpu(world.db, host, address)).toMatchObject({ state: "quarantined", healthy: false });
    await reportGpus(2);
    expect(await readGpu(world.db, host, address)).toMatchObject({ state: "quarantined", healthy: true });
    expect(await free()).toBe(1);
    await auditCapacity(world.db);
  });

  it("is offered again when a retest is verified, and is quarantined again when it is not", async () => {
    await refusal(
      "conflict",
      world.tx((tx) => retestGpu(tx, host, address)),
    );
    await quarantine("ECC");
    const retest = () => world.tx((tx) => retestGpu(tx, host, address));
    expect((await retest()).state).toBe("sanitizing");
    expect((await retest()).state).toBe("sanitizing");
    const [claimed] = await claimResets(world.db, "simulated", { hosts: 8, gpus: 64 }, 60);
    const gpu = claimed?.gpus[0];
    if (gpu === undefined) throw new Error("BUG: nothing was claimed");
    const failed = { as: "failed", reason: "reset-failed", evidence: "not-back" } as const;
    expect(await world.tx((tx) => recordReset(tx, host, gpu, failed))).toBe(true);
    expect(await readGpu(world.db, host, address)).toMatchObject({
      state: "quarantined",
      reason: "reset-failed",
      evidence: "not-back",
    });
    await retest();
    const [again] = await claimResets(world.db, "simulated", { hosts: 8, gpus: 64 }, 60);
    // The verdict of the older reset comes too late.
    expect(await world.tx((tx) => recordReset(tx, host, gpu, { as: "sanitized" }))).toBe(false);
    const second = again?.gpus[0];
    if (second === undefined) throw new Error("BUG: nothing was claimed");
    expect(await world.tx((tx) => recordReset(tx, host, second, { as: "sanitized" }))).toBe(true);
    expect(await state()).toBe("free");
    expect(await told()).toEqual([
      `gpu.quarantined ECC by ${name}`,
      "gpu.quarantined reset-failed",
      "gpu.released reset-failed",
    ]);
    await auditCapacity(world.db);
  });
});
