// A read of the service against bare node:http with the same bytes, and against the usual service where that is asked for,
// alternating. Used by list, types and read.

import type { Bench } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { Load } from "../load/generator.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { shown } from "../output.ts";
import { startBarePeer } from "../peers/bare-peer.ts";
import { startUsualService } from "../peers/usual/start.ts";
import type { Service } from "../service/service.ts";
import { type Figure, median, ratioOf } from "../statistics.ts";

export const CONNECTIONS = 50;
/** A generator with less idle time than this may have been the bottleneck. */
const BUSY = 0.95;

export interface Compared {
  readonly bare: Figure;
  readonly notes: readonly string[];
}

export interface ComparedRead {
  readonly service: Service;
  /** Of the service. */
  readonly port: number;
  readonly request: PlannedRequest;
  /** For the notes, such as the variant. */
  readonly label: string;
}

type Rounds = Readonly<Record<"service" | "bare" | "usual", readonly number[]>>;

export async function againstBare(bench: Bench, read: ComparedRead): Promise<Compared> {
  const { rounds, notes } = await measured(bench, read, undefined);
  return { bare: ratioOf(rounds.service, rounds.bare), notes };
}

/** Of M, whose bodies the usual service can have. */
export async function againstBoth(bench: Bench, read: ComparedRead): Promise<Compared & { readonly usual: Figure }> {
  await using usual = await startUsualService(read.service, read.port, read.request, bench.directory);
  const { rounds, notes } = await measured(bench, read, usual.port);
  const note = `${read.label}: the usual service (Fastify, pg, a statement for the token and one for the rows) ${shown(median(rounds.usual))}/s`;
  return {
    bare: ratioOf(rounds.service, rounds.bare),
    usual: ratioOf(rounds.service, rounds.usual),
    notes: [...notes, note],
  };
}

/** Requests a second. `usual`: the port of the usual service, if it takes part. */
async function measured(
  { generator, effort, directory }: Bench,
  { port, request, label }: ComparedRead,
  usual: number | undefined,
): Promise<{ rounds: Rounds; notes: string[] }> {
  await using peer = await startBarePeer(port, request, directory);
  const busy: Record<keyof Rounds, number[]> = { service: [], bare: [], usual: [] };
  const round = (side: keyof Rounds, to: number) => async (counts: boolean) => {
    const seconds = counts ? effort.readSeconds : effort.warmUpSeconds;
    const load: Load = await generator.run({ ports: [to], requests: [request], connections: CONNECTIONS, seconds });
    if (counts) busy[side].push(load.generatorBusy);
    return load.rate;
  };
  const rounds = await interleave<keyof Rounds>(
    {
      service: round("service", port),
      bare: round("bare", peer.port),
      usual: usual === undefined ? async () => 0 : round("usual", usual),
    },
    effort.rounds,
  );
  const [ours, bare] = [median(rounds.service), median(rounds.bare)];
  const generatorBusy = median(busy.bare);
  const limit = generatorBusy > BUSY ? ": it was the limit there, so the true ratio is smaller" : "";
  return {
    rounds,
    notes: [
      `${label}: ${shown(ours)}/s against ${shown(bare)}/s; the generator took ${Math.round(100 * median(busy.service))} % of a core for ours, ${Math.round(100 * generatorBusy)} % for bare${limit}`,
    ],
  };
}
