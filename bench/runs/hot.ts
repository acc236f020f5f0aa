// `hot`: all launches of one instance type in one region, against launches spread over all.

import type { Bench } from "../bench.ts";
import { interleave } from "../interleave.ts";
import { shown } from "../output.ts";
import { median, ratioOf } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";
import { hotLaunches, launchRound, spreadOnMain } from "./launching.ts";

export async function hot(bench: Bench): Promise<Outcome> {
  const stage = await bench.stage("main");
  const [one, many] = [hotLaunches(stage.customers), spreadOnMain(stage.customers)];
  const rounds = await interleave(
    {
      one: async (counts) => (await launchRound(bench, stage, one, counts)).rate,
      many: async (counts) => (await launchRound(bench, stage, many, counts)).rate,
    },
    bench.effort.rounds,
  );
  return {
    name: "hot",
    figures: { "": ratioOf(rounds.one, rounds.many) },
    notes: [
      `${shown(median(rounds.one))}/s for one product in one region on 400 hosts against ${shown(median(rounds.many))}/s for 10 products in 5 regions on 400 hosts; ${stage.customers.length} accounts each`,
    ],
  };
}
