// Halts machines: presses their power button repeatedly, because a booting guest does not react yet, and powers them
// off after the grace period. Used by engine.ts.
//
// Both steps are one background task, which continues after `stop` has returned. If the process dies in between, the
// next `stop` starts again, and the guest gets its grace period twice.
//
// Invariant: a task is about one run of the machine. It might notice the halt only seconds later, and a machine that
// was started again by then must neither be asked to halt nor be excluded from the next `stop`.

import { setTimeout as pause } from "node:timers/promises";
import { Tasks } from "../readiness/tasks.ts";
import { type Domain, readDomain } from "./domains.ts";
import type { HostConnection } from "./host-connection.ts";
import { domainName } from "./labels.ts";
import { cutPower } from "./remove.ts";
import { unless } from "./virsh/virsh-error.ts";

const FORCE_SECONDS = 60;
const ASK_EVERY_MS = 5000;

export class Stops {
  readonly #tasks: Tasks;
  readonly #askEveryMs: number;

  /** `onEnd`: a task has ended, so its machine might have changed. */
  constructor(onEnd: (machineId: string) => void, askEveryMs: number = ASK_EVERY_MS) {
    this.#tasks = new Tasks((key) => onEnd(key.slice(0, key.indexOf("/"))));
    this.#askEveryMs = askEveryMs;
  }

  /** Begins to halt a running machine; resolves when the guest was asked once. Throws VirshError. */
  async begin(place: HostConnection, domain: Domain, signal: AbortSignal): Promise<void> {
    const key = `${domain.machineId}/${domain.run}`;
    if (this.#tasks.has(key)) return;
    const deadline = performance.now() + place.settings.stopGraceSeconds * 1000;
    await ask(place, domain.machineId, signal);
    this.#tasks.begin(key, (closing) => waitThenForce(place, domain, { deadline, everyMs: this.#askEveryMs }, closing));
  }

  /** Aborts all tasks. Resolves when they have ended. */
  close(): Promise<void> {
    return this.#tasks.close();
  }
}

async function waitThenForce(
  place: HostConnection,
  { machineId, run }: Domain,
  { deadline, everyMs }: { readonly deadline: number; readonly everyMs: number },
  closing: AbortSignal,
): Promise<void> {
  for (;;) {
    const left = deadline - performance.now();
    await pause(Math.max(Math.min(everyMs, left), 0), undefined, { signal: closing });
    const signal = AbortSignal.any([closing, AbortSignal.timeout(FORCE_SECONDS * 1000)]);
    const domain = await readDomain(place, machineId, signal);
    if (domain === undefined || domain.power === "off" || domain.run !== run) return;
    if (left <= 0) return cutPower(place, machineId, signal);
    await ask(place, machineId, signal);
  }
}

async function ask({ virsh }: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  const asked = virsh.call(["shutdown", domainName(machineId), "--mode", "acpi"], { signal });
  await unless("noSuchDomain", unless("notRunning", asked));
}
