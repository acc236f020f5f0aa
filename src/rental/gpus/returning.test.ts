// GPUs that return by themselves: which count, what their estimates follow from, and that nothing is promised else.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { seeded } from "../../../test/support/random.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { type GpuState, gpuStates, gpuTraits, type Handover } from "../../rules/gpu-lifecycle.ts";
import { explain } from "../capacity/explain.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { anyRegion } from "../catalog/region-store.ts";
import { quote } from "../launching/quote.ts";
import { quarantineGpu, retestGpu } from "./decisions.ts";
import { listGpus } from "./gpu-reading.ts";
import { setGpuPolicy, validationDefaults } from "./policies.ts";
import { claimResets, type ResetOutcome, recordReset } from "./resets.ts";
import { readReturning } from "./returning.ts";
import { endValidation } from "./validation-ends.ts";
import { claimValidations, decideValidation } from "./validations.ts";

const world = worldOfFile();
let host: string;
beforeEach(async () => {
  host = await world.host({ gpus: 4 });
});

const setPolicy = (handover: Handover) => {
  const validation = handover === "reset+validate" ? { image: "check", ...validationDefaults } : null;
  return world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover, validation }));
};

/** An instance had so many GPUs, and is gone. */
async function tenancy(gpus: number): Promise<void> {
  await world.image();
  const { name: instanceType } = await world.product({ gpus });
  const { id } = await world.launchOne(await world.account(), { instanceType });
  await world.tx((tx) => releaseCapacity(tx, [id]));
  await world.put(id, "terminated");
}

const returning = async (model = "H100") => (await readReturning(world.db)).of("north", model);

/** The resets that are due come to this. */
async function reset(outcome: ResetOutcome = { as: "sanitized" }): Promise<void> {
  await sql`update gpus set next_try_at = now() where state = 'sanitizing'`.execute(world.db);
  for (const { host: of, gpus } of await claimResets(world.db, "simulated", { hosts: 8, gpus: 64 }, 60))
    for (const gpu of gpus) await world.tx((tx) => recordReset(tx, of, gpu, outcome));
}

/** The validations that are due pass. */
async function validate(): Promise<void> {
  const { begun } = await claimValidations(world.db, "simulated", 8, 60);
  for (const validation of begun) {
    await decideValidation(world.db, validation, "passed", "");
    await world.tx((tx) => endValidation(tx, validation, { retry: 0, pause: 0 }));
  }
}

/** As if each kind had taken so long, at the GPUs of another host. */
async function measure(times: { reset?: readonly number[]; validation?: readonly number[] }): Promise<void> {
  const all = [
    ...(times.reset ?? []).map((seconds) => ({ kind: "reset", seconds })),
    ...(times.validation ?? []).map((seconds) => ({ kind: "validation", seconds })),
  ];
  for (const [index, { kind, seconds }] of all.entries()) {
    const other = await world.host({ gpus: 1, gpuModel: "measured" });
    await sql`
      insert into gpu_times (gpu_id, kind, model, seconds, ended_at)
      select id, ${kind}, 'H100', ${seconds}, now() + make_interval(secs => ${index}) from gpus where host = ${other}`.execute(
      world.db,
    );
  }
}

/** When its state began, and so many seconds, rounded up to a minute. */
async function inSeconds(seconds: number): Promise<Date> {
  const { rows } = await sql<{ since: number }>`
    select max(extract(epoch from state_since))::float8 as since from gpus where state in ('sanitizing', 'validating')`.execute(
    world.db,
  );
  return new Date(Math.ceil(((rows[0]?.since ?? 0) + seconds) / 60) * 60_000);
}

const stampOf = async () => {
  const { rows } = await sql<{
    stamp: string;
  }>`select changed_in::text as stamp from hosts where name = ${host}`.execute(world.db);
  return rows[0]?.stamp;
};

describe("GPUs that instances gave back", () => {
  it("are free at once with the policy none, and nothing returns", async () => {
    await measure({ reset: [90] });
    await setPolicy("none");
    await tenancy(2);
    const found = await readReturning(world.db);
    expect(found.of("north", "H100")).toEqual([]);
    expect(found.validUntilMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("have no estimate before anything was measured, and then that of the resets before", async () => {
    await setPolicy("reset");
    await tenancy(2);
    expect(await returning()).toEqual([{ gpus: 2, backAt: null }]);
    await reset();
    expect(await returning()).toEqual([]);
    await sql`update gpu_times set seconds = 100`.execute(world.db);
    await tenancy(3);
    const expected = await inSeconds(100);
    expect(await returning()).toEqual([{ gpus: 3, backAt: expected }]);
    expect((await readReturning(world.db)).validUntilMs).toBe(expected.getTime());
    const listed = await listGpus(world.db, undefined, { state: "sanitizing" });
    expect(listed.map(({ backAt }) => backAt)).toEqual([expected, expected, expected]);
  });

  it("take their validation too, measured from its beginning", async () => {
    await setPolicy("reset+validate");
    await tenancy(1);
    await reset();
    await validate();
    const { rows } = await sql<{ kind: string }>`select kind from gpu_times order by kind`.execute(world.db);
    expect(rows).toEqual([{ kind: "reset" }, { kind: "validation" }]);
    await sql`update gpu_times set seconds = case kind when 'reset' then 30 else 600 end`.execute(world.db);
    await tenancy(1);
    expect(await returning()).toEqual([{ gpus: 1, backAt: await inSeconds(630) }]);
    await reset();
    expect(await returning()).toEqual([{ gpus: 1, backAt: await inSeconds(600) }]);
    await sql`update gpus set state_since = now() - interval '20 minutes' where state = 'validating'`.execute(world.db);
    // It waited too long for capacity of its host, and is counted from the beginning of its validation from then on.
    expect(await returning()).toEqual([{ gpus: 1, backAt: null }]);
    const { begun } = await claimValidations(world.db, "simulated", 8, 60);
    expect(begun).toHaveLength(1);
    expect(await returning()).toEqual([{ gpus: 1, backAt: expect.any(Date) }]);
  });

  it("have no estimate once a reset is retried, whose time is not measured, and none when they are quarantined", async () => {
    await measure({ reset: [90] });
    await setPolicy("reset");
    await tenancy(1);
    await reset({ as: "postponed", seconds: 0 });
    expect(await returning()).toEqual([{ gpus: 1, backAt: expect.any(Date) }]);
    const before = await stampOf();
    await reset({ as: "postponed", seconds: 0 });
    expect(await returning()).toEqual([{ gpus: 1, backAt: null }]);
    // Cached responses are read again.
    expect(await stampOf()).not.toBe(before);
    await reset();
    const { rows } = await sql<{ seconds: number }>`select seconds from gpu_times`.execute(world.db);
    expect(rows).toEqual([{ seconds: 90 }]);
    await tenancy(1);
    await reset({ as: "failed", reason: "reset-failed", evidence: "not-back" });
    expect(await returning()).toEqual([]);
  });

  it("that an operator has retested return too, and their host changes with it", async () => {
    await measure({ reset: [90] });
    const by = (await world.account()).accountId;
    await world.tx((tx) => quarantineGpu(tx, host, "0000:01:00.0", { reason: "XID 79", by }));
    expect(await returning()).toEqual([]);
    const before = await stampOf();
    await world.tx((tx) => retestGpu(tx, host, "0000:01:00.0"));
    expect(await stampOf()).not.toBe(before);
    expect(await returning()).toEqual([{ gpus: 1, backAt: await inSeconds(90) }]);
  });

  it("are estimated by the last twenty of their model, of which nine in ten took no longer", async () => {
    const slow = Array.from({ length: 5 }, () => 5000);
    await measure({ reset: [...slow, ...Array.from({ length: 18 }, (_, index) => 61 + index), 3000, 3000] });
    await setPolicy("reset");
    await tenancy(1);
    expect(await returning()).toEqual([{ gpus: 1, backAt: await inSeconds(78) }]);
  });

  it("are counted only where they are capacity when they are back", async () => {
    await setPolicy("reset");
    await tenancy(2);
    await sql`update gpus set healthy = false where address = (
      select min(address) from gpus where state = 'sanitizing')`.execute(world.db);
    expect(await returning()).toEqual([{ gpus: 1, backAt: null }]);
    expect((await readReturning(world.db)).of("south", "H100")).toEqual([]);
    expect((await readReturning(world.db)).of("north", null)).toEqual([]);
    expect((await readReturning(world.db, { model: "A10" })).of("north", "H100")).toEqual([]);
    await sql`update hosts set labels = '{"rack": "r1"}' where name = ${host}`.execute(world.db);
    const on = async (rack: string) =>
      (await readReturning(world.db, { selector: [{ key: "rack", value: rack }] })).of("north", "H100").length;
    expect([await on("r1"), await on("r2")]).toEqual([1, 0]);
    for (const mode of ["cordoned", "lost"]) {
      await sql`update hosts set mode = ${mode} where name = ${host}`.execute(world.db);
      expect(await returning()).toEqual([]);
    }
  });
});

describe("what says that something does not fit", () => {
  it("says which GPUs of its type return, in the regions that were asked for", async () => {
    await world.host({ region: "south", gpus: 1 });
    await measure({ reset: [90] });
    await setPolicy("reset");
    await tenancy(4);
    const batch = { gpus: 4, backAt: await inSeconds(90) };
    const product = await world.product({ gpus: 4 });
    const asked = async (region: string, instanceType = product.name) => {
      const fields = { instanceType: "instance_type", region: "region", quantity: "quantity" };
      const order = { instanceType, region, quantity: 1, coupon: undefined, fields };
      return (await quote(world.db, world.service, order)).returning;
    };
    expect(await asked(anyRegion)).toEqual([{ region: "north", ...batch }]);
    expect(await asked("north")).toEqual([{ region: "north", ...batch }]);
    expect(await asked("south")).toEqual([]);
    // It fits elsewhere.
    expect(await asked(anyRegion, (await world.product({ gpus: 1 })).name)).toEqual([]);
    const explained = await explain(world.db, product);
    expect(explained.map(({ region, returning: back }) => [region, back])).toEqual([
      ["north", [batch]],
      ["south", []],
    ]);
    const cpu = await explain(world.db, await world.product({ gpus: 0 }));
    expect(cpu.flatMap(({ returning: back }) => back)).toEqual([]);
  });
});

describe("the sums", () => {
  it("agree: free, held, returning and quarantined GPUs are all of them, whatever their states", async () => {
    const random = seeded();
    for (let fleet = 0; fleet < 5; fleet++) {
      await world.empty();
      await measure({ reset: [30], validation: [300] });
      const names = [];
      for (let n = 0; n < 4; n++)
        names.push(
          await world.host({ region: random.one(["north", "south"]), gpus: 8, gpuModel: random.one(["H100", "A10"]) }),
        );
      await world.image();
      const { name: instanceType } = await world.product({ gpus: 0 });
      const { id: instance } = await world.launchOne(await world.account(), { instanceType });
      const put = { free: 0, held: 0, sanitizing: 0, validating: 0, quarantined: 0 } satisfies Record<GpuState, number>;
      const { rows: gpus } = await sql<{ id: string }>`select id from gpus where host = any(${names})`.execute(
        world.db,
      );
      for (const { id } of gpus) {
        const state = random.one(gpuStates);
        put[state] += 1;
        const holder = gpuTraits[state].isHeld ? instance : null;
        // `held` follows the holder.
        await sql`update gpus set instance_id = ${holder} where id = ${id}`.execute(world.db);
        if (gpuTraits[state].isHeld) continue;
        await sql`
          update gpus set state = ${state}, attempts = ${random.below(3)}, validation_due = ${
            state === "validating" || (state === "sanitizing" && random.below(2) === 0) ? "handover" : null
          }, state_since = now() - make_interval(mins => ${random.below(20)}) where id = ${id}`.execute(world.db);
      }
      // At one moment.
      const [found, listed] = await world.tx(async (tx) => [await readReturning(tx), await listGpus(tx)] as const);
      const batches = ["north", "south"].flatMap((region) => ["H100", "A10"].flatMap((of) => found.of(region, of)));
      const returned = batches.reduce((sum, one) => sum + one.gpus, 0);
      expect(returned).toBe(put.sanitizing + put.validating);
      expect(put.free + put.held + returned + put.quarantined).toBe(gpus.length);
      for (const { backAt } of batches)
        expect(backAt?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() - 1000);
      expect(listed.filter(({ backAt }) => backAt !== null).length).toBe(
        batches.filter(({ backAt }) => backAt !== null).reduce((sum, one) => sum + one.gpus, 0),
      );
    }
  });
});
