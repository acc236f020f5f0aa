// Whether a guest halts when its power button is pressed: a customer's stop does that, and powers off guests that
// ignore it.

import { setTimeout as pause } from "node:timers/promises";
import { type Finding, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { stopwatch } from "../../check/test-instance.ts";
import type { Engine, MachineRef } from "../../engine.ts";

const LOOK_EVERY_MS = 200;
/** For powering off, after the grace period. */
const CUT_SECONDS = 30;

/** Halts `machine`, which is running. Throws only the reason of `signal`. */
export async function* checkPowerButton(
  engine: Engine,
  machine: MachineRef,
  graceSeconds: number,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = `power button on ${machine.host}`;
  const begun = performance.now();
  const lap = stopwatch();
  const patience = AbortSignal.any([signal, AbortSignal.timeout((graceSeconds + CUT_SECONDS) * 1000)]);
  try {
    let report = await engine.stop(machine, patience);
    while (report.power !== "halted") {
      await pause(LOOK_EVERY_MS, undefined, { signal: patience });
      report = (await engine.inspect(machine, patience)) ?? report;
    }
    if (performance.now() - begun < graceSeconds * 1000) return yield ok(what, `halted in ${lap()}`);
    yield warning(
      what,
      `ignored for ${graceSeconds} s, then the machine was powered off`,
      "check that the image has systemd-logind or acpid; a slow guest needs a longer stop_grace_seconds",
    );
  } catch (error) {
    signal.throwIfAborted();
    const why = patience.aborted ? "it still runs" : wordsOf(error);
    yield problem(what, `the machine could not be halted: ${why}`, "read libvirt's log on the host");
  }
}
