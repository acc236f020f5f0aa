// A read of the service against bare node:http with the same bytes, alternating. Used by list, types and read.

import type { Bench } from "../bench.ts";
import { interleave } from "../interleave.ts";
import type { Load } from "../load/generator.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { shown } from "../output.ts";
import { startBarePeer } from "../peers/bare-peer.ts";
import { type Figure, median, ratioOf } from "../statistics.ts";

export const CONNECTIONS = 50;
/** A generator with less idle time than this may have been the bottleneck. */
const BUSY = 0.95;

export interface Compared {
  readonly ratio: Figure;
  readonly notes: readonly string[];
}

/** `label`: for the notes, such as the variant. */
export async function againstBare(
  bench: Bench,
  port: number,
  request: PlannedRequest,
  label: string,
): Promise<Compared> {
  const { generator, effort } = bench;
  await using peer = await startBarePeer(port, request, bench.directory);
  const busy: Record<"service" | "bare", number[]> = { service: [], bare: [] };
  const round = (side: "service" | "bare", to: number) => async (counts: boolean) => {
    const seconds = counts ? effort.readSeconds : effort.warmUpSeconds;
    const load: Load = await generator.run({ ports: [to], requests: [request], connections: CONNECTIONS, seconds });
    if (counts) busy[side].push(load.generatorBusy);
    return load.rate;
  };
  const rounds = await interleave({ service: round("service", port), bare: round("bare", peer.port) }, effort.rounds);
  const [ours, bare] = [median(rounds.service), median(rounds.bare)];
  const generatorBusy = median(busy.bare);
  const limit = generatorBusy > BUSY ? ": it was the limit there, so the true ratio is smaller" : "";
  return {
    ratio: ratioOf(rounds.service, rounds.bare),
    notes: [
      `${label}: ${shown(ours)}/s against ${shown(bare)}/s; the generator took ${Math.round(100 * median(busy.service))} % of a core for ours, ${Math.round(100 * generatorBusy)} % for bare${limit}`,
    ],
  };
}
