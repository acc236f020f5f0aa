// GET /healthz: the process is alive. GET /readyz: it can serve: its database answers, has space to write and its
// migrations are done, and it is not being stopped. Both on every port, without a token, for load balancers and supervisors.
// Invariant: the database is asked by one question at a time, and not again within a second of a good answer, however
// many ask: whoever floods this costs nobody a connection.

import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { StorageState } from "../../database/storage.ts";
import { HttpError } from "../errors/api-error.ts";

/** What the server knows about itself beyond its database. */
export interface Readiness {
  /** Ready from when everything is started until the server begins to stop. */
  readonly state: "starting" | "ready" | "stopping";
}

const pingDeadlineMs = 2_000;
/** A good answer counts for so long. */
const goodMs = 1_000;

/** Whether the database answers in time. */
export type Ping = () => Promise<boolean>;

export interface HealthParts {
  readonly ping: Ping;
  readonly state: () => Readiness["state"];
  /** Undefined: nothing is known of it. */
  readonly storage?: StorageState | undefined;
}

export function healthRoutes(server: FastifyInstance, parts: HealthParts): void {
  const uncached = { "cache-control": "no-store" };
  // However much comes from an address, it learns whether the service is well.
  const route = { schema: { hide: true }, config: { uncounted: true, essential: true } };
  server.get("/healthz", route, async (_request, reply) => reply.headers(uncached).send({ status: "ok" }));
  server.get("/readyz", route, async (_request, reply) => {
    const state = parts.state();
    if (state !== "ready") throw new HttpError("unavailable", { why: state });
    // Before the database is asked: one that ended itself for want of space does not answer.
    if (parts.storage?.isFull === true) throw new HttpError("unavailable", { why: "the database is out of space" });
    if (!(await parts.ping())) throw new HttpError("unavailable", { why: "the database does not respond" });
    return reply.headers(uncached).send({ status: "ready" });
  });
}

/** One for all ports of a server. */
export function createPing(db: Database): Ping {
  let goodUntil = Number.NEGATIVE_INFINITY;
  /** Of the question under way: whether it is answered, or false when that takes too long. */
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
    // A question that was given up still waits for its connection: nobody asks another one before it has ended.
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
