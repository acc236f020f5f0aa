// Starts the usual service with what the measured one answers, on a database of its own in the same PostgreSQL.
// Invariant: what it answers is, as JSON, what the measured service answers.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { PlannedRequest } from "../../load/plan.ts";
import { freePorts } from "../../service/ports.ts";
import { Program } from "../../service/program.ts";
import type { Service } from "../../service/service.ts";
import type { Peer } from "../bare-peer.ts";
import { makeDatabase } from "../launch-floor/start.ts";
import { contentsOf, schemaOf } from "./contents.ts";
import type { Written } from "./program.ts";

const DATABASE = "bench_usual";

/** `port`: of the measured service, which is asked once. Throws if one of both answers otherwise than with 200. */
export async function startUsualService(
  service: Service,
  port: number,
  request: PlannedRequest,
  directory: string,
): Promise<Peer> {
  const body = (await answerOf(port, request)) as { data: object }; // M's documents say so
  const { columns, rows, shape, keys } = contentsOf(body);
  await makeDatabase(service, DATABASE);
  const databaseUrl = service.databaseUrl(DATABASE);
  await fill(databaseUrl, columns, rows, request);
  const [own = 0] = await freePorts(1);
  const file = join(directory, `usual-${own}.json`);
  const written: Written = { columns, shape, keys, schema: schemaOf(body) };
  await writeFile(file, JSON.stringify(written));
  const program = new Program({
    name: "the usual service",
    command: process.execPath,
    args: [join(import.meta.dirname, "program.ts"), String(own), databaseUrl, file],
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
    logFile: join(directory, "usual.log"),
  });
  await program.until(async () => (await fetch(`http://127.0.0.1:${own}`)).status > 0);
  if (!isDeepStrictEqual(await answerOf(own, request), body))
    throw new Error("BUG: the usual service answers otherwise");
  return { port: own, [Symbol.asyncDispose]: () => program.end() };
}

async function answerOf(port: number, { path, headers }: PlannedRequest): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function fill(
  connectionString: string,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  { headers }: PlannedRequest,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const typed = columns.map((name) => `"${name}" ${typeOf(rows.map((row) => row[name]))}`);
    await client.query(`drop table if exists tokens, items;
      create table tokens (account_id integer not null, hash bytea not null unique, revoked_at timestamptz);
      create table items (position integer primary key, account_id integer not null, ${typed.join(", ")});
      create index on items (account_id, position)`);
    const token = String(headers?.authorization).slice("Bearer ".length);
    await client.query("insert into tokens values (1, $1)", [createHash("sha256").update(token, "utf8").digest()]);
    for (const [position, row] of rows.entries()) {
      const values = columns.map((name) => {
        const value = row[name];
        return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
      });
      const places = values.map((_, index) => `$${index + 2}`);
      await client.query(`insert into items values ($1, 1, ${places.join(", ")})`, [position, ...values]);
    }
    await client.query("analyze");
  } finally {
    await client.end();
  }
}

function typeOf(values: readonly unknown[]): string {
  const value = values.find((one) => one !== null && one !== undefined);
  if (typeof value === "object") return "jsonb";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double precision";
  return "text";
}
