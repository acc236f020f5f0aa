// `start`: `npm start` as typed, to the first response to an authenticated request of a service that reports ready. The
// very first start creates the database and loads the demo.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { npmStart } from "../service/npm-start.ts";
import { freePorts } from "../service/ports.ts";
import { checkout, operatorToken } from "../service/service.ts";
import { figureOf } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";

export async function start(bench: Bench): Promise<Outcome> {
  const first: number[] = [];
  const existing: number[] = [];
  for (let i = 0; i < bench.effort.repeats; i++) {
    const directory = join(bench.directory, `start-${i}`);
    await mkdir(directory, { mode: 0o711 });
    first.push(await startOnce(directory));
    existing.push(await startOnce(directory));
  }
  return {
    name: "start",
    figures: { existing: figureOf(existing), first: figureOf(first) },
    notes: [`${bench.effort.repeats} of each; npm's own time is in it, the demo is loaded on the first start`],
  };
}

async function startOnce(directory: string): Promise<number> {
  const [port = 0, reference = 0] = await freePorts(2);
  const env = {
    LESSOR_PORT: String(port),
    LESSOR_REFERENCE_PORT: String(reference),
    LESSOR_DATA_DIR: join(directory, "data"),
    LESSOR_OPERATOR_TOKEN: operatorToken,
    // Not the environment's settings.
    LESSOR_CONFIG: join(checkout, "bench/service/empty.yaml"),
  };
  return npmStart({ directory, port, env });
}
