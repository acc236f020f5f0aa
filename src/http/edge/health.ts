// GET /healthz: the process is alive. GET /readyz: it can serve: its database responds, has space to write and its
// migrations are done, and it is not stopping. Both on every port, without a token, for load balancers and supervisors.
// Invariant: one query at a time checks the database, and none within a second of a success, so a flood of these
// requests takes no connections from others.

import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { StorageState } from "../../database/storage.ts";
import { HttpError } from "../errors/api-error.ts";

/** The server's state besides its database. */
export interface Readiness {
  /** Ready from the end of startup until the server begins to stop. */
  readonly state: "starting" | "ready" | "stopping";
}

const pingDeadlineMs = 2_000;
/** How long a success counts. */
const goodMs = 1_000;

/** Whether the database responds in time. */
export type Ping = () => Promise<boolean>;

export interface HealthParts {
  readonly ping: Ping;
  readonly state: () => Readiness["state"];
  /** Undefined: unknown. */
  readonly storage?: StorageState | undefined;
}

export function healthRoutes(server: FastifyInstance, parts: HealthParts): void {
  const uncached = { "cache-control": "no-store" };
  // Even an address over its limit can check the health of the service.
  const route = { schema: { hide: true }, config: { uncounted: true, essential: true } };
  server.get("/healthz", route, async (_request, reply) => reply.headers(uncached).send({ status: "ok" }));
  server.get("/readyz", route, async (_request, reply) => {
    const state = parts.state();
    if (state !== "ready") throw new HttpError("unavailable", { why: state });
    // Before the database is queried: one that ended itself for lack of space does not respond.
    if (parts.storage?.isFull === true) throw new HttpError("unavailable", { why: "the database is out of space" });
    if (!(await parts.ping())) throw new HttpError("unavailable", { why: "the database does not respond" });
    return reply.headers(uncached).send({ status: "ready" });
  });
}

/** One for all ports of a server. */
export function createPing(db: Database): Ping {
  let goodUntil = Number.NEGATIVE_INFINITY;
  /** Of the query in progress: whether it succeeded, or false when it takes too long. */
  let answer: Promise<boolean> | undefined;

  function ask(): Promise<boolean> {
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const deadline = setTimeout(() => resolve(false), pingDeadlineMs);
    const answered = sql`select 1`.execute(db).then(
      () => {
        goodUntil = performance.now() + goodMs;
        return true;
      },
      () => false,
    );
    // A timed-out query still waits for its connection: no other one starts until it has ended.
    void answered.finally(() => {
      clearTimeout(deadline);
      answer = undefined;
    });
    return Promise.race([answered, tooLate]);
  }

  return async () => {
    if (performance.now() < goodUntil) return true;
    answer ??= ask();
    return answer;
  };
}
