// Runs full resyncs of the simulated engine of a database and reports the duration of each, and the longest block of
// the event loop during it. Run as: sweep-program.ts <database url> <times>

import { monitorEventLoopDelay } from "node:perf_hooks";
import { connect } from "../../src/database/connect.ts";
import { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import { createLog } from "../../src/log.ts";
import { startReconciler } from "../../src/reconciler/reconciler.ts";
import { KeyRing } from "../../src/secrets/key-ring.ts";

export interface SweepReport {
  readonly seconds: number;
  readonly blockedMs: number;
}

/** The interval of the monitor, in milliseconds: shorter delays are no block. */
const RESOLUTION_MS = 1;

async function sweeps(databaseUrl: string, times: number): Promise<SweepReport[]> {
  const db = connect({ url: databaseUrl });
  const engine = new SimulatedEngine(db, { bootSeconds: [1, 1], stopSeconds: [1, 1], seed: 1 });
  const reconciler = await startReconciler({
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
  await reconciler.sweepNow();
  const reports: SweepReport[] = [];
  for (let i = 0; i < times; i++) {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const begun = performance.now();
    await reconciler.sweepNow();
    const seconds = (performance.now() - begun) / 1000;
    delay.disable();
    reports.push({ seconds, blockedMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS) });
  }
  await reconciler.stop();
  await engine.close();
  await db.destroy();
  return reports;
}

const [databaseUrl, times] = process.argv.slice(2);
if (databaseUrl !== undefined) process.stdout.write(JSON.stringify(await sweeps(databaseUrl, Number(times))));
