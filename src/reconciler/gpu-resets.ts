// Resets the GPUs that instances gave back, at the helpers of their hosts, before they are offered again. Any number of
// replicas can run this. Each call is for the due GPUs of one host, with a deadline and no transaction open. What a
// process has claimed is renewed while its call runs, so that another one soon does what is left of one that died. The
// helper then keeps their calls apart, since the first one can still run on the host.
//
// Invariant: only a verdict that says so makes a GPU free. A helper that cannot be asked is asked again with exponential
// backoff; after several tries, and at once where the reset failed, the GPU is quarantined with what was found.

import { inTransaction } from "../database/transaction.ts";
import { type GpuHelper, HelperError, mostResetAddresses, type ResetVerdict } from "../gpus/helper.ts";
import { claimResets, type HostResets, type ResetOutcome, recordReset, renewResets } from "../rental/gpus/resets.ts";
import { BackgroundWork } from "./background-work.ts";
import { engineCall } from "./engine-call.ts";
import type { GpuHelperDependencies } from "./gpu-helper-dependencies.ts";
import { reason } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Hosts at once. */
const MOST = 32;

const noHelper = "Its host has no GPU helper. Name one in `gpus.helpers` of the settings, and retest the GPU.";

/** Those of one engine. Each host is worked on by itself, so that one whose helper hangs delays no other. */
export class GpuResets {
  readonly #parts: GpuHelperDependencies;
  readonly #running = new BackgroundWork();

  constructor(parts: GpuHelperDependencies) {
    this.#parts = parts;
  }

  /** Begins all that is due. `signal` aborts what it began. Throws what the database throws. */
  async begin(signal: AbortSignal): Promise<void> {
    const { db, engine, settings, log } = this.#parts;
    const room = MOST - this.#running.size;
    if (room === 0) return;
    const most = { hosts: room, gpus: mostResetAddresses };
    const due = await claimResets(db, engine.name, most, settings.leaseSeconds);
    for (const { host, gpus } of due) {
      this.#running.begin(resetOn(this.#parts, { host, gpus }, signal), (error) =>
        log.warn({ host, error: reason(error) }, "cannot record the reset of a GPU"),
      );
    }
  }

  /** Resolves when nothing that was begun runs. Never throws. */
  ended(): Promise<void> {
    return this.#running.ended();
  }
}

async function resetOn(parts: GpuHelperDependencies, { host, gpus }: HostResets, signal: AbortSignal): Promise<void> {
  const { db, engine, helperOf, log, gate } = parts;
  const helper = engine.gpuHelper ?? helperOf(host);
  const verdictOf = await whileRenewed(parts, { host, gpus }, signal, (until) =>
    ask(parts, helper, { host, gpus }, until),
  );
  // All at once, so that those of one instance are validated together.
  const recorded = await gate("resetRecorded", () =>
    inTransaction(db, async (tx) => {
      const verdicts: { gpu: HostResets["gpus"][number]; outcome: ResetOutcome; isRecorded: boolean }[] = [];
      for (const gpu of gpus) {
        const outcome = verdictOf(gpu);
        verdicts.push({ gpu, outcome, isRecorded: await recordReset(tx, host, gpu, outcome) });
      }
      return verdicts;
    }),
  );
  for (const { gpu, outcome, isRecorded } of recorded) {
    const told = { engine: engine.name, host, gpu: gpu.address, attempts: gpu.attempts, ...outcome };
    if (!isRecorded) log.info(told, "discarded a late verdict on a GPU");
    else if (outcome.as === "sanitized") log.info(told, "GPU reset");
    else log.warn(told, outcome.as === "failed" ? "GPU quarantined" : "cannot reset a GPU; will retry");
  }
}

/** Renews the claim until `work` ends; its signal is aborted when the claim is lost, so that no call begins after that. */
async function whileRenewed<T>(
  { db, settings, log, gate }: GpuHelperDependencies,
  claim: HostResets,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let renewal: Promise<void> | undefined;
  const renew = async () => {
    try {
      const isOurs = await gate("resetRenewed", () => renewResets(db, claim, settings.leaseSeconds));
      if (!isOurs) lost.abort(new Error("Another process has claimed the resets, or none is wanted any more."));
    } catch (error) {
      log.warn({ host: claim.host, error: reason(error) }, "cannot renew the claim of the resets of GPUs");
    }
    renewal = undefined;
  };
  const timer = setInterval(
    () => {
      renewal ??= renew();
    },
    // Three tries before it expires.
    (settings.leaseSeconds * 1000) / 3,
  );
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    // It would overwrite when the next try is.
    await renewal;
  }
}

/** What the reset of each came to. Never throws, except for a gate that does. */
async function ask(
  { settings, gate }: GpuHelperDependencies,
  helper: GpuHelper | undefined,
  { host, gpus }: HostResets,
  signal: AbortSignal,
): Promise<(gpu: HostResets["gpus"][number]) => ResetOutcome> {
  const addresses = gpus.map(({ address }) => address);
  try {
    if (helper === undefined) return ({ attempts }) => unavailable(settings, attempts, noHelper);
    const verdicts = await gate("resetGpus", () =>
      engineCall(settings.resetSeconds, signal, (late) => helper.reset(host, addresses, late)),
    );
    return ({ address, attempts }) => outcomeOf(settings, attempts, address, verdicts);
  } catch (error) {
    if (signal.aborted) return () => ({ as: "postponed", seconds: 0 });
    const isFinal = error instanceof HelperError && error.kind === "refused";
    const found = reason(error);
    return ({ attempts }) => (isFinal ? failed(found) : unavailable(settings, attempts, found));
  }
}

function outcomeOf(
  settings: Settings,
  attempts: number,
  address: string,
  verdicts: readonly ResetVerdict[],
): ResetOutcome {
  const verdict = verdicts.find((one) => one.address === address);
  if (verdict === undefined) return unavailable(settings, attempts, "The helper gave no verdict on it.");
  return verdict.isReset ? { as: "sanitized" } : failed(`${verdict.code}: ${verdict.message}`);
}

function failed(evidence: string): ResetOutcome {
  return { as: "failed", reason: "reset-failed", evidence };
}

function unavailable({ resetRetrySeconds, resetAttempts }: Settings, attempts: number, evidence: string): ResetOutcome {
  if (attempts >= resetAttempts) return { as: "failed", reason: "reset-unverified", evidence };
  const [least, most] = resetRetrySeconds;
  return { as: "postponed", seconds: Math.min(most, least * 2 ** (attempts - 1)) };
}
