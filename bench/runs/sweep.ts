// `sweep`: one full resync of an engine with 100,000 instances, as the reconciler does it, in its own process whose
// event loop is monitored (sweep-program.ts). The service itself is paused meanwhile.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import type { Timed } from "../service/resync.ts";
import type { Service } from "../service/service.ts";
import { figureOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";

export async function sweep(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "sweep", missing: "left out of --quick: run bench:scale" };
  const { service } = await bench.stage("large, full");
  const reports = await sweeps(service, bench.effort.rounds);
  return {
    name: "sweep",
    figures: {
      duration: figureOf(reports.map(({ seconds }) => seconds)),
      blocked: figureOf(reports.map(({ blockedMs }) => blockedMs)),
    },
    notes: ["hosts and machines of the simulated engine; the first sweep of the process does not count"],
  };
}

/** This many, after one that does not count. The service is paused meanwhile. */
export async function sweeps(service: Service, times: number): Promise<readonly Timed[]> {
  await service.pause();
  try {
    const args = [join(import.meta.dirname, "sweep-program.ts"), service.databaseUrl(), String(times)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Timed[]; // what the program writes
  } finally {
    await service.resume();
  }
}
