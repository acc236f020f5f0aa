// Tests of validations of GPUs: a stage with one GPU whose policy resets and validates it, replicas that have nothing else
// to do, and what disturbs them. Used by test/reconciler/gpu-validations*.test.ts.

import { sql } from "kysely";
import { beforeEach, expect } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { type FailpointRunner, noFailpoints } from "../../src/reconciler/failpoints.ts";
import { GpuResets } from "../../src/reconciler/gpu-resets.ts";
import { GpuValidations } from "../../src/reconciler/gpu-validations.ts";
import { type ReconcilerSettings, type Settings, withDefaults } from "../../src/reconciler/settings.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { setGpuPolicy, type ValidationPolicy, validationDefaults } from "../../src/rental/gpus/policies.ts";
import type { Handover } from "../../src/rules/gpu-lifecycle.ts";
import { auditCapacity } from "./audit.ts";
import { quiet, type Stage, stageOfFile } from "./stage.ts";

export let stage: Stage;
export const quick: Partial<ReconcilerSettings> = {
  ...{ validationLookSeconds: 0.01, validationRetrySeconds: [0, 0], burnInPauseSeconds: 0 },
  resetRetrySeconds: [0, 0],
};
/** Of what `validate` and `reset` run: a call that hangs is over soon, and they can be run again. */
export const settings = withDefaults({ ...quiet, ...quick, engineCallSeconds: 0.3, resetSeconds: 0.3 });
export const address = "0000:01:00.0";
/** The host with the GPU. */
export let host: string;

/** A stage with one GPU, whose policy resets and validates it, before each test of the file. */
export function beginValidations(): void {
  stage = stageOfFile();
  beforeEach(async () => {
    host = await stage.host({ gpus: 1 });
    await setPolicy("reset+validate");
  });
}

export const setPolicy = (handover: Handover, validation: Partial<ValidationPolicy> = {}) =>
  stage.world.tx((tx) =>
    setGpuPolicy(tx, {
      ...{ gpuModel: "H100", region: null, handover },
      validation: { image: "check", ...validationDefaults, deadlineSeconds: 60, ...validation },
    }),
  );

/** An instance has the GPU, and is gone; the reconciler does what follows. */
export async function tenancy(): Promise<void> {
  const reconciler = stage.reconciler(quick);
  const { id, principal } = await stage.launchOne();
  await reconciler.idle();
  await stage.world.change(principal, "terminate", [id]);
  await reconciler.idle();
  await reconciler.stop();
}

export async function gpu(of = host) {
  const [one] = await listGpus(stage.db, undefined, { host: of });
  if (one === undefined) throw new Error("BUG: the host has a GPU");
  return one;
}

/** It is sanitized, and to be validated. */
export async function toValidate(): Promise<void> {
  await sql`
    update gpus set state = 'validating', validation_due = 'handover', next_try_at = now(), attempts = 0, reason = null
    where host = ${host}`.execute(stage.db);
  await sql`update gpu_pools set free = 0 where host = ${host}`.execute(stage.db);
}

/** Its instance is gone. */
export async function toSanitize(): Promise<void> {
  await toValidate();
  await sql`update gpus set state = 'sanitizing' where host = ${host}`.execute(stage.db);
  await sql`update simulated.gpus set reset_at = null`.execute(stage.db);
}

export async function wasReset(): Promise<boolean> {
  const { rows } = await sql`select from simulated.gpus where host = ${host} and reset_at is not null`.execute(
    stage.db,
  );
  return rows.length === 1;
}

export async function reset(gate: FailpointRunner): Promise<void> {
  const parts = { db: stage.db, engine: stage.engine(), settings, log: stage.log, gate };
  const resets = new GpuResets({ ...parts, helperOf: () => undefined });
  await resets.begin(new AbortController().signal);
  await resets.ended();
}

/** Validates what is due, as a replica does that has nothing else to do. */
export async function validate(
  gate: FailpointRunner = noFailpoints,
  engine: Engine = stage.engine(),
  its: Settings = settings,
): Promise<void> {
  const validations = new GpuValidations({ db: stage.db, engine, settings: its, log: stage.log, gate });
  await validations.begin(new AbortController().signal);
  await validations.ended();
}

/** What a claim or a retry postpones is due now. */
export async function letTimePass(): Promise<void> {
  await sql`update gpu_validations set leased_until = now()`.execute(stage.db);
  await sql`update gpus set next_try_at = now() where state in ('sanitizing', 'validating')`.execute(stage.db);
}

export const inProgress = async () => (await sql`select from gpu_validations`.execute(stage.db)).rows.length;

export async function untilRest(gate?: FailpointRunner, engine?: Engine): Promise<void> {
  for (let round = 0; round < 30 && ((await gpu()).state === "validating" || (await inProgress()) > 0); round++) {
    await letTimePass();
    await validate(gate, engine).catch(() => {});
  }
}

/** Nothing is left of a validation, and none cost anything. */
export async function auditNothingLeft(): Promise<void> {
  expect(await inProgress()).toBe(0);
  const { rows } = await sql`
    select id from simulated.machines m where not exists (select from instances i where i.id = m.id)`.execute(stage.db);
  expect(rows).toEqual([]);
  const { rows: billed } = await sql`
    select from billing_spans s where not exists (select from instances i where i.id = s.instance_id)`.execute(
    stage.db,
  );
  expect(billed).toEqual([]);
  await auditCapacity(stage.db);
}

export type Step = { readonly point: string; readonly mode: string };

/** Takes the steps in their order, each once. A process that dies does nothing more. */
export function disturbing(left: Step[], onRead: () => void): FailpointRunner {
  let isDead = false;
  return async (point, pass) => {
    const die = () => {
      isDead = true;
      throw new Error("the process is gone");
    };
    if (isDead) die();
    if (point === "validationRead") onRead();
    const [next] = left;
    if (next?.point !== point) return pass();
    left.shift();
    if (next.mode === "fails before") throw new Error("it fails");
    if (next.mode === "dies before") die();
    const result = await pass();
    if (next.mode === "fails after") throw new Error("it fails");
    if (next.mode === "dies after") die();
    return pass().catch(() => result);
  };
}

export function dyingAt(point: string, when: "before" | "after"): FailpointRunner {
  return disturbing([{ point, mode: `dies ${when}` }], () => {});
}
