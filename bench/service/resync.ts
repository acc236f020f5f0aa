// A reconciler that does nothing but full resyncs, and how long something took with the longest block of the event loop
// meanwhile. Used by the programs that measure resyncs, such as runs/sweep-program.ts.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Database } from "../../src/database/connect.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { createLog } from "../../src/log.ts";
import { type Reconciler, startReconciler } from "../../src/reconciler/reconciler.ts";
import { KeyRing } from "../../src/secrets/key-ring.ts";

export interface Timed {
  readonly seconds: number;
  readonly blockedMs: number;
}

/** The interval of the monitor, in milliseconds: shorter delays are no block. */
const RESOLUTION_MS = 1;

/** Resyncs when it is told to (`sweepNow`). The caller stops it. */
export function startResyncs(db: Database, databaseUrl: string, engine: Engine): Reconciler {
  return startReconciler({
    db,
    databaseUrl,
    engines: new Map([[engine.name, engine]]),
    // Decrypts nothing: nothing is launched.
    keyRing: new KeyRing([Buffer.alloc(32, 7)]),
    settings: {
      concurrency: 1,
      leaseSeconds: 5,
      bootDeadlineSeconds: 600,
      sweepSeconds: 3600,
      limitCheckSeconds: 3600,
    },
    log: createLog("silent"),
  });
}

export async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  delay.disable();
  return { seconds, blockedMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) };
}
