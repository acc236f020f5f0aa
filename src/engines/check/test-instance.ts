// A test instance: created on one host with the engine's own code, checked until its SSH port responds, and removed. A
// host's reported abilities are hints; this verifies them.
//
// Invariant: the instance is removed before this returns, also if the check is interrupted; only a kill -9 leaves one
// behind, which the next check removes (test-instance-label.ts).

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Engine, EngineError, type MachineRef, type MachineReport, type MachineSpec } from "../engine.ts";
import { createProbe, type ProbeSettings, type ProbeTarget } from "../readiness/probe.ts";
import { type Finding, ok, problem, wordsOf } from "./finding.ts";
import { checkerMark } from "./test-instance-label.ts";

export interface ProbeOrder {
  readonly engine: Engine;
  readonly sshProbe: ProbeSettings & Pick<ProbeTarget, "port">;
  /** Its name in findings. */
  readonly what: string;
  /** The engine's name of the host. */
  readonly host: string;
  /** The SSH probe's name of the host. */
  readonly probeHost: string;
  readonly image: string;
  /** By default the least: 1. */
  readonly vcpus?: number;
  readonly memoryGib?: number;
  /** At least the size of the image. */
  readonly storageGb: number;
  /** From the start of the create until it is ready. */
  readonly deadlineSeconds: number;
  /** Called with the current step, in a few words. */
  readonly onProgress: (what: string) => void;
  /** Called with its address when it is ready, before it is removed; its findings are added. */
  readonly whileUsable?: ((machine: MachineRef, ip: string) => AsyncGenerator<Finding>) | undefined;
  /** Throws why one halted before it was ready, if the engine can tell. */
  readonly explainHalt?: ((machine: MachineSpec, signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly advice: ProbeAdvice;
}

/** What to do about failures, specific to the engine. */
export interface ProbeAdvice {
  readonly error: (failed: unknown) => string;
  /** By the last state before the timeout. Undefined: it was not created by then. */
  readonly late: (last: MachineReport | undefined) => string;
  /** What to remove manually if the removal failed. */
  readonly remains: (machineId: string) => string;
}

/** How long the removal can take, also of an interrupted create. */
const REMOVE_SECONDS = 120;
/** Hints of the engine shorten the wait. */
const LOOK_EVERY_MS = 1000;

/** Throws only the reason of `signal`, after the removal. */
export async function* probeOn(order: ProbeOrder, signal: AbortSignal): AsyncGenerator<Finding> {
  const { engine, what, deadlineSeconds } = order;
  const onProgress = (at: string) => order.onProgress(`${what}: ${at}`);
  const spec = probeSpec(order);
  const lap = stopwatch();
  const deadline = AbortSignal.timeout(deadlineSeconds * 1000);
  const either = AbortSignal.any([signal, deadline]);
  let last: MachineReport | undefined;
  onProgress("creating");
  // Not with `either`: an interrupted create continues on the host, and the machine can be removed only when it has
  // ended.
  const making = engine.create(spec, AbortSignal.timeout((deadlineSeconds + REMOVE_SECONDS) * 1000));
  try {
    await until(making, either);
    const created = lap();
    onProgress("starting");
    last = await usable(order, spec, either, (report) => {
      last = report;
      if (report.progress !== undefined) onProgress(report.progress);
    });
    const ip = last.ip ?? "";
    yield ok(what, `created in ${created}, ready after another ${lap()}, at ${ip}`);
    if (order.whileUsable !== undefined) yield* order.whileUsable(spec, ip);
  } catch (error) {
    if (!signal.aborted) yield deadline.aborted ? await tooLate(order, last) : failed(order, error);
  } finally {
    onProgress("removing");
    lap();
    const made = await making.then(
      () => true,
      () => false,
    );
    const removed = await removal(order, spec, lap);
    if (made || removed.verdict !== "ok") yield removed;
  }
  signal.throwIfAborted();
}

/** By default the smallest that images boot in. */
function probeSpec({ vcpus = 1, memoryGib = 1, storageGb, host, image, deadlineSeconds }: ProbeOrder): MachineSpec {
  return {
    id: randomUUID(),
    host,
    accountId: checkerMark(Date.now() + (deadlineSeconds + REMOVE_SECONDS) * 1000),
    generation: 1,
    vcpus,
    memoryGib,
    storageGb,
    gpuAddresses: [],
    image,
    guest: {
      hostname: "lessor-engine-check",
      loginUser: "lessor",
      // No login is needed: the greeting of its SSH server is what counts.
      sshKeys: [],
      password: undefined,
      jupyterToken: undefined,
      command: undefined,
      userData: undefined,
      envVars: {},
      fileSystems: [],
    },
  };
}

/** Resolves when it is ready. Throws as the engine, or the reason of `signal`. */
async function usable(
  { engine, explainHalt }: ProbeOrder,
  spec: MachineSpec,
  signal: AbortSignal,
  onReport: (report: MachineReport) => void,
): Promise<MachineReport> {
  let changed = () => {};
  const unwatch = engine.watch((id) => id === spec.id && changed());
  try {
    let report: MachineReport | undefined = await engine.start(spec, signal);
    while (report?.usable !== true) {
      if (report === undefined) throw new EngineError("unavailable", "probe-gone", "It no longer exists.");
      if (report.power === "halted" && report.mayComeBack !== true) {
        await explainHalt?.(spec, signal);
        throw new EngineError("unavailable", "probe-halted", "It halted itself.");
      }
      onReport(report);
      const hint = new Promise<void>((resolve) => {
        changed = resolve;
      });
      await Promise.race([hint, pause(LOOK_EVERY_MS, undefined, { signal })]);
      report = report.untold === true ? await engine.start(spec, signal) : await engine.inspect(spec, signal);
    }
    return report;
  } finally {
    unwatch();
  }
}

function failed({ what, advice }: ProbeOrder, error: unknown): Finding {
  return problem(what, wordsOf(error), advice.error(error));
}

/**
 * The finding of a timeout; with an address, includes the result of an SSH probe, because the engine reports only "not
 * ready".
 */
async function tooLate(order: ProbeOrder, last: MachineReport | undefined): Promise<Finding> {
  const { what, sshProbe, deadlineSeconds, probeHost, advice } = order;
  let at = last?.progress ?? "being created";
  if (last?.ip !== undefined) {
    const guest = { ip: last.ip, host: probeHost, port: sshProbe.port };
    const answer = await createProbe(sshProbe)(guest, AbortSignal.timeout(10_000));
    at += ` at ${last.ip} (${answer.answers ? "it responds now" : answer.why})`;
  }
  return problem(what, `not ready within ${deadlineSeconds} s: ${at}`, advice.late(last));
}

/** Repeated, because an interrupted create can still be in progress. */
async function removal({ engine, what, advice }: ProbeOrder, machine: MachineRef, lap: () => string): Promise<Finding> {
  const patience = AbortSignal.timeout(REMOVE_SECONDS * 1000);
  let why: unknown;
  while (!patience.aborted) {
    try {
      await engine.remove(machine, patience);
      return ok(what, `removed in ${lap()}`);
    } catch (error) {
      if (!patience.aborted) why = error;
      await pause(LOOK_EVERY_MS, undefined, { signal: patience }).catch(() => {});
    }
  }
  return problem(
    what,
    `could not be removed: ${why === undefined ? `not within ${REMOVE_SECONDS} s` : wordsOf(why)}`,
    `run the check again to remove it, or remove ${advice.remains(machine.id)} manually`,
  );
}

/** The promise's result, or the signal's reason if that comes first. */
function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** Returns the time since the last call, as text. */
export function stopwatch(): () => string {
  let since = performance.now();
  return () => {
    const seconds = (performance.now() - since) / 1000;
    since = performance.now();
    return `${seconds.toFixed(1)} s`;
  };
}
