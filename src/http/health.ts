// GET /healthz: the process is alive. GET /readyz: it can serve: its database answers and its migrations are done, and
// it is not being stopped. Both on every port, without a token, for load balancers and supervisors.

import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { HttpRefusal } from "./errors/refusal.ts";

/** What the server knows about itself beyond its database. */
export interface Readiness {
  /** True from when the migrations are done until the server begins to stop. */
  readonly ready: boolean;
}

const pingDeadlineMs = 2_000;

export function healthRoutes(server: FastifyInstance, parts: { db: Database; isReady: () => boolean }): void {
  const uncached = { "cache-control": "no-store" };
  server.get("/healthz", { schema: { hide: true } }, async (_request, reply) =>
    reply.headers(uncached).send({ status: "ok" }),
  );
  server.get("/readyz", { schema: { hide: true } }, async (_request, reply) => {
    if (!parts.isReady() || !(await answers(parts.db))) throw new HttpRefusal("unavailable", {});
    return reply.headers(uncached).send({ status: "ready" });
  });
}

async function answers(db: Database): Promise<boolean> {
  const deadline = AbortSignal.timeout(pingDeadlineMs);
  const tooLate = new Promise<boolean>((resolve) => deadline.addEventListener("abort", () => resolve(false)));
  const ping = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  return Promise.race([ping, tooLate]);
}
