// Validations of GPUs: what verdicts and silence come to, that no GPU reaches an instance past its reset and its
// validation, that nothing is billed for one, and that nothing is left of its machine, whichever step fails, happens
// twice, or is the last of a process.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { injectFaults, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { FailpointRunner } from "../../src/reconciler/failpoints.ts";
import { removeHost, storedHost, upsertHost } from "../../src/rental/capacity/host-store.ts";
import { quarantineGpu, releaseGpu, retestGpu, validateGpu } from "../../src/rental/gpus/decisions.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { setGpuPolicy, validationDefaults } from "../../src/rental/gpus/policies.ts";
import { refusal } from "../support/refusals.ts";

import {
  address,
  auditNothingLeft,
  beginValidations,
  dyingAt,
  gpu,
  host,
  inProgress,
  letTimePass,
  quick,
  setPolicy,
  settings,
  stage,
  tenancy,
  toValidate,
  untilRest,
  validate,
} from "../support/validating.ts";

/** For a machine that gives no verdict. */
const briefly = { deadlineSeconds: 0.1 };

beginValidations();

describe("a GPU that an instance gave back", () => {
  it("is reset and validated before another instance can get it, and costs nothing meanwhile", async () => {
    await tenancy();
    expect(await gpu()).toMatchObject({ state: "free", validationDue: null, lastValidation: { verdict: "passed" } });
    const { rows } = await sql<{ reset: boolean; spans: number; accounts: number }>`
      select (select reset_at is not null from simulated.gpus where host = ${host}) as reset,
        (select count(*) from billing_spans) as spans,
        (select count(*) from events where data::text like '%gpu-validation%') as accounts`.execute(stage.db);
    expect(rows).toEqual([{ reset: true, spans: 1, accounts: 0 }]);
    await tenancy();
    await auditNothingLeft();
  });

  it("is not offered while it is validated, and its machine reserves capacity of its host", async () => {
    await toValidate();
    await expect(stage.launchOne()).rejects.toThrow(/capacity/);
    const free = async () =>
      (await stage.db.selectFrom("hosts").select("free_vcpus").executeTakeFirstOrThrow()).free_vcpus;
    const before = await free();
    const seen: number[] = [];
    await validate(async (point, pass) => {
      if (point === "validationRead") seen.push(await free());
      return pass();
    });
    expect(seen).toEqual([before - validationDefaults.vcpus]);
    await stage.launchOne();
    await auditNothingLeft();
  });

  it("stays with its process while each call of the engine takes nearly as long as it may", async () => {
    await toValidate();
    const claims: unknown[] = [];
    const slow: FailpointRunner = async (point, pass) => {
      const result = await pass();
      if (!["validationCreate", "validationStart", "validationRead"].includes(point)) return result;
      await sql`update gpu_validations set leased_until = leased_until - interval '50 seconds'`.execute(stage.db);
      await validate();
      claims.push((await sql`select claims from gpu_validations`.execute(stage.db)).rows);
      return result;
    };
    await validate(slow, stage.engine(), { ...settings, engineCallSeconds: 60 });
    expect(claims.length).toBeGreaterThanOrEqual(3);
    expect(claims).toEqual(claims.map(() => [{ claims: 1 }]));
    expect(await gpu()).toMatchObject({ state: "free", lastValidation: { verdict: "passed" } });
    await auditNothingLeft();
  });

  it("waits while its host has no room for the machine", async () => {
    await setPolicy("reset+validate", { memoryGib: 100_000 });
    await toValidate();
    await validate();
    expect(await gpu()).toMatchObject({ state: "validating", attempts: 0 });
    await setPolicy("reset+validate");
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "free" });
  });

  it.each([
    ["validation-fails", "validation-failed", "failed", 1],
    ["validation-hangs", "validation-unverified", "unverified", 3],
    ["validation-prints-garbage", "validation-unverified", "unverified", 3],
  ] as const)("is quarantined with the evidence when it %s", async (kind, reason, verdict, attempts) => {
    await injectFaults(stage.db, { kind });
    await setPolicy("reset+validate", verdict === "unverified" ? briefly : {});
    await toValidate();
    let tried = 0;
    await untilRest(async (point, pass) => {
      if (point === "validationCreate") tried++;
      return pass();
    });
    expect(tried).toBe(attempts);
    expect(await gpu()).toMatchObject({ state: "quarantined", reason, lastValidation: { verdict } });
    expect((await gpu()).evidence).toContain("This is a simulated machine");
    await auditNothingLeft();
  });

  it("is free after a warning, or quarantined if the policy says so", async () => {
    await injectFaults(stage.db, { kind: "validation-warns" });
    await toValidate();
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "free", lastValidation: { verdict: "warned" } });
    await setPolicy("reset+validate", { warning: "quarantine" });
    await toValidate();
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "quarantined", reason: "validation-warned" });
  });

  it("is validated at each so many handovers", async () => {
    await setPolicy("reset+validate", { every: 2 });
    await tenancy();
    expect(await gpu()).toMatchObject({ state: "free", lastValidation: null });
    await tenancy();
    expect(await gpu()).toMatchObject({ state: "free", lastValidation: { verdict: "passed" } });
  });

  it("is quarantined when its host is not reached for too long, and its machine is removed afterwards", async () => {
    await setPolicy("reset+validate", briefly);
    await toValidate();
    const engine = stage.engine();
    await validate(async (point, pass) => {
      if (point === "validationRead") await killHost(stage.db, host);
      return pass();
    }, engine);
    expect(await inProgress()).toBe(1);
    await sql`update hosts set available = false where name = ${host}`.execute(stage.db);
    await letTimePass();
    await validate();
    expect(await gpu()).toMatchObject({ state: "validating" });
    await sql`update gpu_validations set leased_until = now() - interval '2 days'`.execute(stage.db);
    await validate();
    expect(await gpu()).toMatchObject({ state: "quarantined", reason: "validation-unverified" });
    // Its machine still exists.
    await refusal(
      "conflict",
      stage.world.tx((tx) => retestGpu(tx, host, address)),
    );
    await refusal(
      "conflict",
      stage.world.tx((tx) => releaseGpu(tx, host, address, { confirmation: undefined, by: crypto.randomUUID() })),
    );
    await reviveHost(stage.db, host);
    await sql`update hosts set available = true where name = ${host}`.execute(stage.db);
    await letTimePass();
    await validate();
    expect(await gpu()).toMatchObject({ state: "quarantined" });
    await auditNothingLeft();
  });

  it("waits while its host is drained, and is quarantined when it waits too long otherwise", async () => {
    await toValidate();
    const isSince = (mode: string, since: string) =>
      sql`update hosts set mode = ${mode} where name = ${host}`
        .execute(stage.db)
        .then(() => sql`update hosts set state_since = now() - ${since}::interval`.execute(stage.db))
        .then(() => sql`update gpus set next_try_at = now() - interval '3 days'`.execute(stage.db));
    await isSince("draining", "2 days");
    await validate();
    expect(await gpu()).toMatchObject({ state: "validating", attempts: 0 });
    await setPolicy("reset+validate", { memoryGib: 100_000 });
    await isSince("up", "1 hour");
    await validate();
    expect(await gpu()).toMatchObject({ state: "validating", attempts: 0 });
    await isSince("up", "2 days");
    await validate();
    expect(await gpu()).toMatchObject({ state: "quarantined", reason: "validation-unverified" });
    await auditNothingLeft();
  });

  it("is quarantined when no policy names an image any more", async () => {
    await toValidate();
    await stage.world.tx((tx) =>
      setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "none", validation: null }),
    );
    await validate();
    expect(await gpu()).toMatchObject({ state: "quarantined", evidence: expect.stringContaining("names an image") });
  });
});

describe("the machine of a validation", () => {
  it("is no orphan for the resync, and no instance of anyone", async () => {
    await toValidate();
    const reconciler = stage.reconciler({ ...quick, pollSeconds: 3600 });
    await reconciler.idle();
    await toValidate();
    let machines: string[] = [];
    await validate(async (point, pass) => {
      if (point === "validationRead") {
        await reconciler.sweepNow();
        machines = await stage.machines();
      }
      return pass();
    });
    expect(machines).toHaveLength(1);
    expect(await stage.db.selectFrom("instances").selectAll().execute()).toEqual([]);
    await auditNothingLeft();
  });

  it("is one only, however many replicas there are", async () => {
    await toValidate();
    let machines = 0;
    const counting: FailpointRunner = async (point, pass) => {
      if (point === "validationCreate") machines++;
      return pass();
    };
    await Promise.all(Array.from({ length: 4 }, () => validate(counting)));
    expect(machines).toBe(1);
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "free" });
    await auditNothingLeft();
  });

  it("is an orphan when its host is deleted meanwhile", async () => {
    await toValidate();
    await validate(async (point, pass) => {
      if (point === "validationRead") await stage.world.tx((tx) => removeHost(tx, host));
      return pass();
    });
    expect(await inProgress()).toBe(0);
    const [orphan] = await stage.machines();
    const reconciler = stage.reconciler({ ...quick, pollSeconds: 3600 });
    // It must be one in two resyncs, and one that overlaps with the reconciler's first one counts for nothing.
    await expect
      .poll(async () => {
        await reconciler.sweepNow();
        return stage.machines();
      })
      .not.toContain(orphan);
  });

  it("is removed by another process when its own is gone, and the GPU is validated again", async () => {
    await setPolicy("reset+validate", briefly);
    await toValidate();
    await validate(dyingAt("validationRead", "before"));
    expect(await stage.machines()).toHaveLength(1);
    await setPolicy("reset+validate");
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "free" });
    await auditNothingLeft();
  });

  it("is removed when the service stops in order, which counts as no try", async () => {
    await injectFaults(stage.db, { kind: "validation-hangs", times: 1 });
    await setPolicy("reset+validate", { deadlineSeconds: 600 });
    await toValidate();
    const reconciler = stage.reconciler(quick);
    const started = () => sql`select from simulated.machines where power = 'on'`.execute(stage.db);
    await expect.poll(async () => (await started()).rows).toHaveLength(1);
    await reconciler.stop();
    await validate();
    expect(await gpu()).toMatchObject({ state: "validating", attempts: 0 });
    await validate();
    expect(await gpu()).toMatchObject({ state: "free" });
    await auditNothingLeft();
  });
});

describe("an operator", () => {
  it("validates a free GPU, and a quarantined one after a reset, and no other", async () => {
    const order = () => stage.world.tx((tx) => validateGpu(tx, host, address));
    expect(await order()).toMatchObject({ state: "validating", validationDue: "operator" });
    expect(await order()).toMatchObject({ state: "validating" });
    await untilRest();
    expect(await gpu()).toMatchObject({ state: "free", lastValidation: { verdict: "passed" } });
    const by = (await stage.world.account()).accountId;
    await stage.world.tx((tx) => quarantineGpu(tx, host, address, { reason: "XID 79", by }));
    expect(await order()).toMatchObject({ state: "sanitizing", validationDue: "operator" });
    const reconciler = stage.reconciler(quick);
    // Its first resync can hold the lock of the host's row, and a validation that waits for no lock begins later.
    await expect.poll(() => reconciler.idle().then(() => gpu())).toMatchObject({ state: "free", reason: null });
    await stage.launchOne();
    await refusal("conflict", order());
    const types = await sql<{
      type: string;
    }>`select type from events where type like 'gpu.%' order by position`.execute(stage.db);
    expect(types.rows.map(({ type }) => type)).toEqual(["gpu.quarantined", "gpu.released"]);
  });

  it("gets a conflict where no policy names an image", async () => {
    await sql`delete from gpu_policies`.execute(stage.db);
    await refusal(
      "conflict",
      stage.world.tx((tx) => validateGpu(tx, host, address)),
    );
  });

  it("quarantines a GPU that is being validated, and the verdict does not change that", async () => {
    await toValidate();
    const by = (await stage.world.account()).accountId;
    await validate(async (point, pass) => {
      if (point === "validationDecided")
        await stage.world.tx((tx) => quarantineGpu(tx, host, address, { reason: "Seen", by }));
      return pass();
    });
    expect(await gpu()).toMatchObject({ state: "quarantined", reason: "Seen", lastValidation: { verdict: "passed" } });
    await auditNothingLeft();
  });
});

describe("a new host", () => {
  it("is validated for hours before its GPUs are offered, and once only", async () => {
    await setPolicy("none", { burnInHours: 24 });
    const fresh = await stage.host({ gpus: 2 });
    expect(await listGpus(stage.db, undefined, { host: fresh, state: "validating" })).toHaveLength(2);
    await validate();
    await validate();
    expect(await gpu(fresh)).toMatchObject({ state: "validating", lastValidation: { verdict: "passed" } });
    await sql`update gpus set burn_in_until = now() where host = ${fresh}`.execute(stage.db);
    await letTimePass();
    await validate();
    expect(await listGpus(stage.db, undefined, { host: fresh, state: "free" })).toHaveLength(2);
    // Its engine does not report them for a moment.
    const { reported: _, overrides: __, ...stored } = await storedHost(stage.db, fresh);
    await stage.world.tx((tx) => upsertHost(tx, { ...stored, gpus: [] }));
    await stage.world.tx((tx) => upsertHost(tx, stored));
    expect(await listGpus(stage.db, undefined, { host: fresh, state: "free" })).toHaveLength(2);
    await auditNothingLeft();
  });

  it("validates the GPUs of one model together", async () => {
    await setPolicy("none", { burnInHours: 1 });
    await stage.host({ gpus: 4 });
    let machines = 0;
    await validate(async (point, pass) => {
      if (point === "validationCreate") machines++;
      return pass();
    });
    expect(machines).toBe(1);
    await auditNothingLeft();
  });
});
