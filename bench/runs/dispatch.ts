// `dispatch`: the time from a launch's commit to its arrival at the engine. Both timestamps are the database's: the
// commit of the transaction that wrote the launch's event (track_commit_timestamp), and the creation of the simulated
// engine's machine, which is the start of the statement that makes the engine call.

import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { type Figure, figureOf, percentile } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";
import { cleared, settled } from "../worlds/settle.ts";
import { spreadOnMain } from "./launching.ts";

/** The size of a burst that is also reported. */
const BURST = 50;

export async function dispatch(bench: Bench): Promise<Outcome> {
  const { service, customers } = await bench.stage("main");
  await service.query("alter system set track_commit_timestamp = on");
  await service.restart();
  const { generator, effort } = bench;
  const requests = spreadOnMain(customers);

  async function round(connections: number, seconds: number): Promise<number[]> {
    const [row] = await service.query<{ now: string }>("select now()::text as now");
    await generator.run({ ports: [service.ports.main], requests, connections, seconds, mostRequests: 3000 });
    await settled(service);
    const rows = await service.query<{ ms: number }>(
      `select extract(epoch from m.created_at - pg_xact_commit_timestamp(e.xmin))::float8 * 1000 as ms
       from events e join simulated.machines m on m.id = e.subject_id
       where e.type = 'instance.booting' and e.created_at >= $1::timestamptz`,
      [row?.now],
    );
    await cleared(service, customers);
    if (rows.length === 0) throw new Error("nothing was launched");
    return rows.map(({ ms }) => ms);
  }

  await round(1, effort.warmUpSeconds);
  const calm: number[][] = [];
  const bursts: number[][] = [];
  for (let i = 0; i < effort.rounds; i++) {
    calm.push(await round(1, effort.launchSeconds));
    bursts.push(await round(BURST, effort.launchSeconds));
  }
  const of = (rounds: readonly number[][], percent: number): Figure =>
    figureOf(rounds.map((one) => percentile(one, percent)));
  return {
    name: "dispatch",
    figures: { p50: of(calm, 50), p99: of(calm, 99) },
    notes: [
      `launches one after the other (${calm.flat().length} in all); in bursts of ${BURST} at once p50 ${shown(of(bursts, 50).median)} ms, p99 ${shown(of(bursts, 99).median)} ms`,
    ],
  };
}
