// Starts the bare launch floor on its own database in the service's PostgreSQL, so that both use the same disk.

import { join } from "node:path";
import pg from "pg";
import type { PlannedRequest } from "../../load/plan.ts";
import { freePorts } from "../../service/ports.ts";
import { Program } from "../../service/program.ts";
import type { Service } from "../../service/service.ts";
import type { Peer } from "../bare-peer.ts";
import { floorToken, schema } from "./schema.ts";

const DATABASE = "bench_floor";

export const floorLaunch: PlannedRequest = {
  method: "POST",
  path: "/launch",
  headers: {
    authorization: `Bearer ${floorToken}`,
    "content-type": "application/json",
    "idempotency-key": "bench-{#}",
  },
  body: JSON.stringify({ instance_type_name: "gpu_1x_model-0", region_name: "any", quantity: 1, name: "bench-{#}" }),
};

export async function startLaunchFloor(service: Service, directory: string): Promise<Peer> {
  await makeDatabase(service, DATABASE);
  const databaseUrl = service.databaseUrl(DATABASE);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(schema);
  await client.query("analyze");
  await client.end();
  const [port = 0] = await freePorts(1);
  const program = new Program({
    name: "the bare launch floor",
    command: process.execPath,
    args: [join(import.meta.dirname, "program.ts"), String(port), databaseUrl],
    logFile: join(directory, "floor.log"),
  });
  // Any response means that it is up.
  await program.until(async () => (await fetch(`http://127.0.0.1:${port}`)).status > 0);
  return { port, [Symbol.asyncDispose]: () => program.end() };
}

/** Creates a peer's database beside the service's own, if missing. */
export async function makeDatabase(service: Service, name: string): Promise<void> {
  const known = await service.query("select from pg_database where datname = $1", [name]);
  if (known.length === 0) await service.query(`create database ${name}`);
}
