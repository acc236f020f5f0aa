// Resets of GPUs between two tenants: what a helper's answers and silence come to, and that no GPU reaches an instance
// past its reset, whichever step fails, happens twice, or is the last of a process.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { forgive, injectFaults, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import { type GpuHelper, mostResetAddresses } from "../../src/gpus/helper.ts";
import { type FailpointRunner, noFailpoints, resetFailpoints } from "../../src/reconciler/failpoints.ts";
import { GpuResets } from "../../src/reconciler/gpu-resets.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { setGpuPolicy } from "../../src/rental/gpus/policies.ts";
import { auditCapacity } from "../support/audit.ts";
import { sample } from "../support/extent.ts";
import { fc } from "../support/properties.ts";
import { quiet, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();
const settings = withDefaults({
  ...quiet,
  resetRetrySeconds: [0, 0],
  resetSeconds: 0.2,
  resetAttempts: 3,
});
let host: string;

beforeEach(async () => {
  host = await stage.host({ gpus: 1 });
  await stage.world.tx((tx) =>
    setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "reset", validation: null }),
  );
});

/** An instance has the GPU, and is gone. */
async function tenancy(): Promise<void> {
  const reconciler = stage.reconciler();
  const { id, principal } = await stage.launchOne();
  await reconciler.idle();
  await stage.world.change(principal, "terminate", [id]);
  await reconciler.idle();
  await reconciler.stop();
}

/** Like a tenancy, without a reconciler that resets it. */
async function leave(): Promise<void> {
  await sql`update gpus set state = 'sanitizing', next_try_at = now() where host = ${host}`.execute(stage.db);
  await sql`update gpu_pools set free = 0 where host = ${host}`.execute(stage.db);
}

/** Resets what is due, as a replica does that has nothing else to do. */
async function reset(gate: FailpointRunner = noFailpoints, helper?: GpuHelper | null, own = settings): Promise<void> {
  const resets = new GpuResets({
    ...{ db: stage.db, settings: own, log: stage.log, gate },
    engine: Object.create(stage.engine(), helper === undefined ? {} : { gpuHelper: { value: helper ?? undefined } }),
    helperOf: () => undefined,
  });
  await resets.begin(new AbortController().signal);
  await resets.ended();
}

async function gpu() {
  const [one] = await listGpus(stage.db, undefined, { host });
  if (one === undefined) throw new Error("BUG: the host has a GPU");
  return one;
}

/** Until nothing is due any more: a claim postpones the next try. */
async function resetUntilRest(gate?: FailpointRunner, helper?: GpuHelper | null): Promise<void> {
  for (let round = 0; round < 10 && (await gpu()).state === "sanitizing"; round++) {
    await sql`update gpus set next_try_at = now() where state = 'sanitizing'`.execute(stage.db);
    await reset(gate, helper);
  }
}

describe("a GPU that an instance gave back", () => {
  it("is reset before another instance can get it", async () => {
    await tenancy();
    expect(await gpu()).toMatchObject({ state: "free", reason: null });
    const { rows } = await sql<{ reset: boolean }>`
      select reset_at is not null as reset from simulated.gpus where host = ${host}`.execute(stage.db);
    expect(rows).toEqual([{ reset: true }]);
    await tenancy();
    await auditCapacity(stage.db);
  });

  it("is not offered while it is being reset", async () => {
    await leave();
    await expect(stage.launchOne()).rejects.toThrow(/capacity/);
    await resetUntilRest();
    await stage.launchOne();
  });

  it("is quarantined, with what was found, when the reset fails", async () => {
    await injectFaults(stage.db, { kind: "refuses", operation: "reset-gpus", parameters: { message: "It is dead." } });
    await tenancy();
    expect(await gpu()).toMatchObject({
      state: "quarantined",
      reason: "reset-failed",
      evidence: "reset-failed: It is dead.",
    });
    await auditCapacity(stage.db);
  });

  it.each(["unavailable", "hangs", "loses-answer"] as const)(
    "is reset later when the helper %s once, and quarantined when it does so each time",
    async (kind) => {
      await leave();
      await injectFaults(stage.db, { kind, operation: "reset-gpus", times: 1 });
      await resetUntilRest();
      expect(await gpu()).toMatchObject({ state: "free" });
      await leave();
      await injectFaults(stage.db, { kind, operation: "reset-gpus" });
      await resetUntilRest();
      expect(await gpu()).toMatchObject({ state: "quarantined", reason: "reset-unverified" });
      await forgive(stage.db);
      await auditCapacity(stage.db);
    },
  );

  it("is quarantined where its host has no helper, and the evidence says so", async () => {
    await leave();
    await resetUntilRest(undefined, null);
    expect(await gpu()).toMatchObject({ state: "quarantined", evidence: expect.stringContaining("no GPU helper") });
  });

  it("is reset in a call that has no more of them than a helper takes", async () => {
    const large = await stage.host({ gpus: mostResetAddresses + 2 });
    await sql`update gpus set state = 'sanitizing', next_try_at = now() - interval '1 hour' where host = ${large}`.execute(
      stage.db,
    );
    await sql`update gpu_pools set free = 0 where host = ${large}`.execute(stage.db);
    const sizes: number[] = [];
    const helper = helperThat(() => true, sizes);
    await reset(noFailpoints, helper);
    await reset(noFailpoints, helper);
    expect(sizes).toEqual([mostResetAddresses, 2]);
    expect(await listGpus(stage.db, undefined, { host: large, state: "free" })).toHaveLength(mostResetAddresses + 2);
    await auditCapacity(stage.db);
  });

  it("waits for no other host, whose helper hangs", async () => {
    const other = await stage.host({ gpus: 1 });
    await sql`update gpus set state = 'sanitizing', next_try_at = now()`.execute(stage.db);
    await sql`update gpu_pools set free = 0`.execute(stage.db);
    await injectFaults(stage.db, { kind: "hangs", operation: "reset-gpus", host: other });
    const reconciler = stage.reconciler({ resetSeconds: 3600, resetRetrySeconds: [0, 0] });
    await expect.poll(async () => (await gpu()).state).toBe("free");
    // Given back while the other one still hangs.
    await leave();
    reconciler.poke();
    await expect.poll(async () => (await gpu()).state).toBe("free");
    expect(await listGpus(stage.db, undefined, { host: other })).toMatchObject([{ state: "sanitizing", attempts: 1 }]);
    await reconciler.stop();
    expect(await listGpus(stage.db, undefined, { host: other })).toMatchObject([{ state: "sanitizing" }]);
  });

  it("waits while its host is not reached, and is not quarantined for that", async () => {
    await leave();
    await killHost(stage.db, host);
    await sql`update hosts set available = false where name = ${host}`.execute(stage.db);
    await reset();
    expect(await gpu()).toMatchObject({ state: "sanitizing", attempts: 0 });
    await reviveHost(stage.db, host);
    await sql`update hosts set available = true where name = ${host}`.execute(stage.db);
    await resetUntilRest();
    expect(await gpu()).toMatchObject({ state: "free" });
  });
});

describe("a claim of resets", () => {
  const slow = withDefaults({ ...settings, resetSeconds: 3600, leaseSeconds: 0.6 });
  /** One whose reset takes until `end` is called, or it is aborted. */
  const slowHelper = () => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const called = Promise.withResolvers<AbortSignal>();
    const quick = helperThat(() => true);
    const helper: GpuHelper = {
      ...quick,
      reset: async (of, addresses, signal) => {
        called.resolve(signal);
        await promise;
        return quick.reset(of, addresses, signal);
      },
    };
    return { helper, end, called: called.promise };
  };
  const claimedUntil = async () => {
    const { rows } = await sql<{ seconds: number; resets: number }>`
      select extract(epoch from next_try_at)::float8 as seconds, resets from gpus where host = ${host}`.execute(
      stage.db,
    );
    if (rows[0] === undefined) throw new Error("BUG: the host has a GPU");
    return rows[0];
  };

  it("lasts while the helper is slow, however long that takes, and another process claims nothing", async () => {
    await leave();
    const { helper, end, called } = slowHelper();
    const working = reset(noFailpoints, helper, slow);
    await called;
    const { seconds: first, resets } = await claimedUntil();
    // Later than it would be due without a renewal.
    await expect.poll(async () => (await claimedUntil()).seconds).toBeGreaterThan(first + slow.leaseSeconds);
    await reset(noFailpoints, null, slow);
    expect(await claimedUntil()).toMatchObject({ resets });
    end();
    await working;
    expect(await gpu()).toMatchObject({ state: "free" });
  });

  it("ends soon after its process died, and the verdict of that counts for nothing", async () => {
    await leave();
    const { helper, end, called } = slowHelper();
    let isDead = true;
    const dead: FailpointRunner = (point, pass) =>
      point === "resetRenewed" && isDead ? Promise.reject(new Error("the process is gone")) : pass();
    const working = reset(dead, helper, slow);
    const signal = await called;
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from next_try_at - now())::float8 as seconds from gpus where host = ${host}`.execute(
      stage.db,
    );
    expect(rows[0]?.seconds).toBeLessThanOrEqual(slow.leaseSeconds);
    const other = helperThat(() => false);
    await expect
      .poll(async () => {
        await reset(noFailpoints, other, slow);
        return gpu();
      })
      .toMatchObject({ state: "quarantined", reason: "reset-failed" });
    // It was only slow: it finds that its claim is lost, and ends its call.
    isDead = false;
    await expect.poll(() => signal.aborted).toBe(true);
    end();
    await working;
    expect(await gpu()).toMatchObject({ state: "quarantined", reason: "reset-failed" });
    expect(stage.logged.map(({ message }) => message)).toContain("discarded a late verdict on a GPU");
    await auditCapacity(stage.db);
  });

  it("is given up with the next try that a helper without a verdict gets", async () => {
    await leave();
    const later = withDefaults({ ...slow, resetRetrySeconds: [3600, 3600] });
    await reset(noFailpoints, null, later);
    expect((await claimedUntil()).seconds - Date.now() / 1000).toBeGreaterThan(3000);
  });
});

describe("whichever step fails, happens twice or is the last of a process", () => {
  const modes = ["fails before", "fails after", "twice"] as const;

  it("no GPU is offered past its reset, and each ends free or quarantined", async () => {
    const step = fc.record({ point: fc.constantFrom(...resetFailpoints), mode: fc.constantFrom(...modes) });
    const verdict = fc.constantFrom("resets", "fails", "is silent");
    const history = fc.record({
      steps: fc.array(step, { maxLength: 4 }),
      verdicts: fc.array(verdict, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, verdicts }) => {
        await leave();
        const left = [...verdicts];
        let resets = 0;
        const helper = helperThat(() => {
          const next = left.shift() ?? "resets";
          if (next === "is silent") throw new Error("no answer");
          if (next === "resets") resets++;
          return next === "resets";
        });
        const disturbances = [...steps];
        const gate: FailpointRunner = async (point, pass) => {
          const [next] = disturbances;
          if (next?.point !== point) return pass();
          disturbances.shift();
          if (next.mode === "fails before") throw new Error("the process is gone");
          const result = await pass();
          if (next.mode === "fails after") throw new Error("the process is gone");
          return pass().catch(() => result);
        };
        for (let round = 0; round < 12 && (await gpu()).state === "sanitizing"; round++) {
          await sql`update gpus set next_try_at = now() where state = 'sanitizing'`.execute(stage.db);
          await reset(gate, helper).catch(() => {});
          const { state } = await gpu();
          if (state === "free") expect(resets).toBeGreaterThan(0);
        }
        expect(["free", "quarantined"]).toContain((await gpu()).state);
        await auditCapacity(stage.db);
      }),
      { numRuns: sample(20, 300) },
    );
  });
});

/** One whose resets come to what `resets` says. `sizes` is told of how many GPUs each call is. */
function helperThat(resets: () => boolean, sizes: number[] = []): GpuHelper {
  const refuse = () => Promise.reject(new Error("BUG: only resets are asked for"));
  return {
    list: refuse,
    activate: refuse,
    deactivate: refuse,
    health: refuse,
    reset: async (_host, addresses) => {
      sizes.push(addresses.length);
      const isReset = resets();
      return addresses.map((address) =>
        isReset
          ? { address, isReset, method: "bus", detail: "" }
          : { address, isReset, code: "not-back", message: "It did not come back." },
      );
    },
  };
}
