// A wait with progress that Ctrl-C ends. Used by wait.ts, for instances, and waiting.ts, for launches.
//
// Invariant: waiting changes nothing; what was asked for goes on.

import type { CommandError } from "../command-error.ts";
import { progressOn } from "../output/progress.ts";
import { duration } from "../output/units.ts";
import type { Shell } from "../shell.ts";

interface Wait {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Shows what is waited for, and for how long so far. */
  readonly show: (text: string) => void;
}

/** What `wait` returns. Throws its error, and after Ctrl-C what `interrupted` gives. */
export async function interruptible<T>(
  shell: Shell,
  wait: (parts: Wait) => Promise<T>,
  interrupted: () => CommandError,
): Promise<T> {
  const progress = progressOn(shell.err);
  const started = performance.now();
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const one of signals) process.once(one, interrupt);
  const show = (text: string) => progress.show(text, `(${duration((performance.now() - started) / 1000)})`);
  try {
    return await wait({ signal: controller.signal, show });
  } catch (error) {
    throw controller.signal.aborted ? interrupted() : error;
  } finally {
    progress.clear();
    for (const one of signals) process.off(one, interrupt);
  }
}
