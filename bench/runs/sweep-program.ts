// Runs full resyncs of the simulated engine of a database and reports the duration of each, and the longest block of
// the event loop during it. Run as: sweep-program.ts <database url> <times>

import { connect } from "../../src/database/connect.ts";
import { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import { startResyncs, type Timed, timed } from "../service/resync.ts";

async function sweeps(databaseUrl: string, times: number): Promise<Timed[]> {
  const db = connect({ url: databaseUrl });
  const engine = new SimulatedEngine(db, { bootSeconds: [1, 1], stopSeconds: [1, 1], seed: 1 });
  const reconciler = startResyncs(db, databaseUrl, engine);
  await reconciler.sweepNow();
  const reports: Timed[] = [];
  for (let i = 0; i < times; i++) reports.push(await timed(() => reconciler.sweepNow()));
  await reconciler.stop();
  await engine.close();
  await db.destroy();
  return reports;
}

const [databaseUrl, times] = process.argv.slice(2);
if (databaseUrl !== undefined) process.stdout.write(JSON.stringify(await sweeps(databaseUrl, Number(times))));
