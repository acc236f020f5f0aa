// The usual service: what a team would write in a day for the same read. Fastify, pg, one statement for the token and one
// for the rows of each request, and a serializer compiled from a schema. No log, no limits, no metrics.
// Run as: program.ts <port> <database url> <file with contents and schema as JSON>

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fastify } from "fastify";
import pg from "pg";
import { bodyOf, type Contents } from "./contents.ts";

/** The content of the file. */
export interface Written extends Pick<Contents, "columns" | "shape" | "keys"> {
  readonly schema: object;
}

const [port, connectionString, file] = process.argv.slice(2);
const written: Written = JSON.parse(readFileSync(file ?? "", "utf8"));
/** As many as the service has. */
const pool = new pg.Pool({ connectionString, max: 8 });
const text = `select ${written.columns.map((name) => `"${name}"`).join(", ")} from items where account_id = $1 order by position`;

const app = fastify();
app.get("/*", { schema: { response: { 200: written.schema, 401: {} } } }, async (request, reply) => {
  const token = String(request.headers.authorization).slice("Bearer ".length);
  const hash = createHash("sha256").update(token, "utf8").digest();
  const account = await pool.query({
    name: "token",
    text: "select account_id from tokens where hash = $1 and revoked_at is null",
    values: [hash],
  });
  if (account.rows.length === 0) return reply.code(401).send();
  const { rows } = await pool.query({ name: "items", text, values: [account.rows[0].account_id] });
  return bodyOf(written, rows);
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
