// The bare launch floor: the cost of a launch that checks only its token and its capacity. node:http, JSON.parse, the
// token's SHA-256 and one SQL statement that makes everything durable; pooled connections, no batching.
// Run as: program.ts <port> <database url>

import { randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";
import { hashOf, launchStatement, POOLS } from "./schema.ts";

const [port, databaseUrl] = process.argv.slice(2);
/** As many as the service has. */
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });

async function launch(headers: NodeJS.Dict<string | string[]>, text: string): Promise<string | undefined> {
  const order: { instance_type_name: string; name: string } = JSON.parse(text);
  const token = String(headers.authorization).slice("Bearer ".length);
  const id = randomUUID();
  const answer = JSON.stringify({ data: { uuid: id, uuids: [id] } });
  const { rows } = await pool.query({
    name: "launch",
    text: launchStatement,
    values: [
      hashOf(token),
      randomInt(POOLS),
      String(headers["idempotency-key"]),
      id,
      order.name,
      order.instance_type_name,
      answer,
    ],
  });
  return rows.length === 1 ? answer : undefined;
}

createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (piece) => {
    text += piece;
  });
  request.on("end", () => {
    launch(request.headers, text).then(
      (answer) => {
        const body = answer ?? "{}";
        const head = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
        response.writeHead(answer === undefined ? 409 : 200, head).end(body);
      },
      (error: unknown) => {
        response.writeHead(500).end();
        process.stderr.write(`${error}\n`);
      },
    );
  });
}).listen(Number(port), "127.0.0.1");
