// Validates GPUs before they are offered: a machine of the service with exactly these GPUs boots the image of the policy,
// and prints a verdict on its serial console. Any number of replicas can run this. No tenant sees the machine, and it is
// never billed: it belongs to no account and has no row of an instance.
//
// Invariant: the row of a validation is committed before its machine is created, and the machine is removed before its
// GPUs are free. A process reads only a console that it has started: one that takes over what another left removes the
// machine, and the GPUs are validated again. Only a verdict that says so makes a GPU free.

import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { type Engine, EngineError, type MachineSpec } from "../engines/engine.ts";
import { userDataOf } from "../gpus/validation/request.ts";
import { evidenceOf, verdictIn } from "../gpus/validation/verdict.ts";
import { waitsForPartition } from "../rental/gpus/partitions/waiting.ts";
import { endValidation, expireValidations } from "../rental/gpus/validation-ends.ts";
import {
  claimValidations,
  decideValidation,
  leaveValidation,
  renewValidation,
  type Validation,
} from "../rental/gpus/validations.ts";
import type { Verdict } from "../rules/gpu-lifecycle.ts";
import { BackgroundWork } from "./background-work.ts";
import { engineCall } from "./engine-call.ts";
import type { FailpointRunner } from "./failpoints.ts";
import { type Log, reason } from "./log.ts";
import type { Settings } from "./settings.ts";

export interface GpuValidationDependencies {
  readonly db: Database;
  readonly engine: Engine;
  readonly settings: Settings;
  readonly log: Log;
  readonly gate: FailpointRunner;
}

/** At once. */
const MOST = 32;

/** The account of these machines at their engine: none. */
const noAccount = "00000000-0000-0000-0000-000000000000";

interface Decision {
  readonly verdict: Verdict | "aborted";
  readonly evidence: string;
}

/** Those of one engine. Each runs by itself, so that one that hangs delays no other. */
export class GpuValidations {
  readonly #parts: GpuValidationDependencies;
  readonly #running = new BackgroundWork();

  constructor(parts: GpuValidationDependencies) {
    this.#parts = parts;
  }

  /** Begins all that is due. `signal` aborts what it began. Throws what the database throws. */
  async begin(signal: AbortSignal): Promise<void> {
    const { db, engine, settings, log, gate } = this.#parts;
    const late = await expireValidations(db, engine.name, settings.validationWaitSeconds);
    if (late > 0) log.warn({ engine: engine.name, count: late }, "GPUs quarantined that waited for their validation");
    const room = MOST - this.#running.size;
    if (room === 0) return;
    const { left, begun } = await gate("validationClaimed", () =>
      claimValidations(db, engine.name, room, leaseOf(settings)),
    );
    for (const validation of left) this.#run(validation, end(this.#parts, validation, interrupted, signal));
    for (const validation of begun) this.#run(validation, validate(this.#parts, validation, signal));
  }

  /** Resolves when nothing that was begun runs. Never throws. */
  ended(): Promise<void> {
    return this.#running.ended();
  }

  #run({ id, host }: Validation, work: Promise<void>): void {
    const { log } = this.#parts;
    this.#running.begin(work, (error) => log.warn({ host, machine: id, error: reason(error) }, "cannot validate GPUs"));
  }
}

/** More than one call takes: the claim is renewed before each. */
function leaseOf({ engineCallSeconds, leaseSeconds }: Settings): number {
  return engineCallSeconds + leaseSeconds;
}

const claimIsLost = new Error("Another process has claimed the validation.");

const interrupted: Decision = { verdict: "unverified", evidence: "The process that ran the validation ended." };

async function validate(parts: GpuValidationDependencies, validation: Validation, signal: AbortSignal): Promise<void> {
  const decision = await run(parts, validation, signal).catch((error: unknown): Decision => {
    if (signal.aborted) return { verdict: "aborted", evidence: "" };
    return { verdict: "unverified", evidence: evidenceOf(reason(error), "") };
  });
  if (decision !== undefined) await end(parts, validation, decision, signal);
}

/** Its verdict. Undefined: another process has claimed it. Throws what says that there is none. */
async function run(
  { db, engine, settings, gate }: GpuValidationDependencies,
  validation: Validation,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const spec = specOf(engine, validation);
  const { nonce, addresses, deadlineSeconds } = validation;
  const deadline = performance.now() + deadlineSeconds * 1000;
  const call = async <T>(ask: (late: AbortSignal) => Promise<T>): Promise<T> => {
    if (!(await renewValidation(db, validation, leaseOf(settings)))) throw claimIsLost;
    return engineCall(settings.engineCallSeconds, signal, ask);
  };
  let output = "";
  let isStarted = false;
  let problem: unknown;
  while (performance.now() < deadline) {
    try {
      if (!isStarted) {
        if (await waitsForPartition(db, validation.host, validation.id)) {
          problem = new Error("Its NVSwitch partition is not active.");
          if (!(await renewValidation(db, validation, leaseOf(settings)))) return undefined;
          await pause(settings.validationLookSeconds * 1000, undefined, { signal });
          continue;
        }
        await gate("validationCreate", () => call((late) => engine.create(spec, late)));
        await gate("validationStart", () => call((late) => engine.start(spec, late)));
        isStarted = true;
      }
      const report = await gate("validationRead", () => call((late) => engine.inspect(spec, late)));
      if (report === undefined) return { verdict: "unverified", evidence: evidenceOf("Its machine is gone.", output) };
      if (report.untold === true) await call((late) => engine.start(spec, late));
      output = await call((late) => engine.consoleLog(spec, late));
      problem = undefined;
      const found = verdictIn(output, nonce, addresses.length);
      if (found !== undefined) {
        const { verdict, detail } = found;
        return { verdict, evidence: evidenceOf(`${verdict}: ${detail}`, output) };
      }
      if (report.power === "halted" && report.mayComeBack !== true)
        return { verdict: "unverified", evidence: evidenceOf("Its machine halted without a verdict.", output) };
    } catch (error) {
      if (error === claimIsLost) return undefined;
      if (signal.aborted || (error instanceof EngineError && error.kind === "refused")) throw error;
      problem = error;
    }
    await pause(settings.validationLookSeconds * 1000, undefined, { signal });
  }
  const found = problem === undefined ? "" : ` The last error: ${reason(problem)}`;
  const late = `It gave no verdict within ${deadlineSeconds} seconds.${found}`;
  return { verdict: "unverified", evidence: evidenceOf(late, output) };
}

/** Records the decision, removes the machine, and gives its GPUs what follows from it. */
async function end(
  { db, engine, settings, log, gate }: GpuValidationDependencies,
  validation: Validation,
  { verdict, evidence }: Decision,
  signal: AbortSignal,
): Promise<void> {
  const { id, host, addresses } = validation;
  const told = { engine: engine.name, host, machine: id, gpus: addresses };
  const isOurs = await gate("validationDecided", () => decideValidation(db, validation, verdict, evidence));
  if (!isOurs) return log.info(told, "another replica ended a validation of GPUs");
  if (signal.aborted) return leaveValidation(db, validation, 0, false);
  try {
    await gate("validationRemove", () =>
      engineCall(settings.engineCallSeconds, signal, (late) => engine.remove({ id, host }, late)),
    );
  } catch (error) {
    const [least, most] = settings.validationRetrySeconds;
    const seconds = signal.aborted ? 0 : Math.min(most, least * 2 ** Math.min(validation.failures, 30));
    await leaveValidation(db, validation, seconds, !signal.aborted);
    return log.warn({ ...told, error: reason(error) }, "cannot remove the machine of a validation; will retry");
  }
  const delays = { retry: settings.validationRetrySeconds[0], pause: settings.burnInPauseSeconds };
  const ended = await gate("validationEnded", () => inTransaction(db, (tx) => endValidation(tx, validation, delays)));
  if (ended === undefined) return log.info(told, "another replica ended a validation of GPUs");
  const line = { ...told, ...ended };
  // The rest is the end of a console.
  const [found] = evidence.split("\n", 1);
  if (ended.quarantined > 0) log.warn(line, "GPUs quarantined by their validation");
  else if (ended.verdict === "unverified")
    log.warn({ ...line, found }, "a validation of GPUs gave no verdict; will retry");
  else log.info(line, "GPUs validated");
}

/** Nothing comes in, where the engine can filter. */
function specOf({ firewalls }: Engine, validation: Validation): MachineSpec {
  const { id, host, vcpus, memoryGib, storageGb, addresses, image, nonce, model, previous, deadlineSeconds } =
    validation;
  return {
    ...{ id, host, accountId: noAccount, generation: 1, vcpus, memoryGib, storageGb, image },
    gpuAddresses: addresses,
    ...(firewalls === "enforced" && { inbound: [] }),
    consoleSeconds: deadlineSeconds,
    guest: {
      ...{ hostname: "gpu-validation", loginUser: "lessor", sshKeys: [], password: undefined },
      ...{ jupyterToken: undefined, command: undefined, envVars: {}, fileSystems: [] },
      userData: userDataOf({ nonce, gpus: addresses.length, model, previous }),
    },
  };
}
