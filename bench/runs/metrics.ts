// `metrics`: what guests report, of 10,000 instances with a sample each 15 seconds. An hour of samples is collected as fast
// as it can be (metrics-program.ts), and its CPU taken as of an hour; the service itself is paused meanwhile.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import type { Service } from "../service/service.ts";
import { figureOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import type { RoomReport, SamplesReport } from "./metrics-program.ts";

const HOUR_SECONDS = 3600;
const INSTANCES = 10_000;

export async function metrics(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "metrics", missing: "left out of --quick: run bench:scale" };
  const { service } = await bench.stage("metrics");
  await service.pause();
  try {
    const before = await service.databaseSeconds();
    const hour = await program<SamplesReport>("samples", service);
    const database = (await service.databaseSeconds()) - before;
    if (hour.instances !== INSTANCES) throw new Error(`BUG: ${hour.instances} instances were read`);
    const { bytes, instances } = await program<RoomReport>("room", service);
    const share = (seconds: number) => figureOf([(100 * seconds) / HOUR_SECONDS]);
    const size = bytes / instances / 1024;
    return {
      name: "metrics",
      figures: {
        server: share(hour.collectSeconds + hour.compactSeconds),
        database: share(database),
        disk: figureOf([(bytes / instances) * INSTANCES * 1e-6]),
      },
      notes: [
        `${shown(hour.samples)} samples in ${shown(hour.seconds)} s, made of lines with all metrics of one GPU; what makes an hour coarser takes ${shown(hour.compactSeconds)} s of the server's CPU`,
        `the database's CPU is that of all its processes; what engines take to read guests is not in it`,
        `${shown(size)} KiB of an instance, measured with ${instances} instances, values that do not compress, and a transaction that is open for two hours`,
      ],
    };
  } finally {
    await service.resume();
  }
}

async function program<Report>(what: string, service: Service): Promise<Report> {
  const args = [join(import.meta.dirname, "metrics-program.ts"), what, service.databaseUrl()];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Report; // what the program writes
}
