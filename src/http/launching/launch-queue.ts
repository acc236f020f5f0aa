// Where launches wait for each other, to be done together (database/group-commit.ts). Used by ../operations.ts.

import { sql } from "kysely";
import { behind, inTransaction } from "../../database/connect.ts";
import { GroupCommit } from "../../database/group-commit.ts";
import { launch } from "../../rental/instances/index.ts";
import { change } from "../api/change.ts";
import type { HttpContext } from "../api/context.ts";
import type { Response } from "../api/idempotency.ts";
import { HttpError } from "../errors/api-error.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { answerTogether } from "./launch-together.ts";

/** So many instances in one transaction, or one larger launch. */
const mostInstances = 64;
/** So many that have to be tried alone, at once: they may wait for locks, and others need connections too. */
const mostAlone = 3;
/** How long a launch waits for its account's row, when somebody keeps it locked. */
const patienceMs = 3_000;

/**
 * Launches look for few rows, also where foreign keys are checked. Plans are kept as long as the connection, and one of a
 * table that was nearly empty reads all of it until autovacuum looks: measured up to 1.8 ms for each foreign key of a
 * launch, at its commit, in the first minutes of a new database.
 */
const byIndex = sql`set local enable_seqscan = off`;

export class LaunchQueue {
  readonly #group: GroupCommit<LaunchRequest, Response>;
  /** The keys of those that are not answered yet. */
  readonly #keys = new Set<string>();

  constructor(context: Pick<HttpContext, "db" | "service">) {
    const { db, service } = context;
    this.#group = new GroupCommit({
      mostAlone,
      patience: { ms: patienceMs, error: accountIsLocked },
      choose,
      together: (requests) =>
        inTransaction(db, async (tx) => {
          await behind(byIndex).execute(tx);
          return answerTogether(tx, service, requests);
        }),
      alone: (request) => {
        const { principal, order } = request.asked;
        return change(context, request, async (tx) => {
          await behind(byIndex).execute(tx);
          await behind(sql`set local lock_timeout = ${sql.lit(patienceMs)}`).execute(tx);
          return request.answerWith(await launch(tx, service, principal, order));
        });
      },
    });
  }

  /**
   * The request's answer, after the commit. Throws what it is refused with; at once where the first request with its key
   * is here and not answered yet (idempotency.ts finds those on other servers).
   */
  async take(request: LaunchRequest): Promise<Response> {
    const { use } = request;
    if (use === undefined) return this.#group.do(request);
    const key = `${use.principal.accountId} ${use.key}`;
    if (this.#keys.has(key)) throw new HttpError("idempotency-in-progress", {});
    this.#keys.add(key);
    try {
      return await this.#group.do(request);
    } finally {
      this.#keys.delete(key);
    }
  }
}

/** As the database would say it (unavailable.ts). */
function accountIsLocked(): Error {
  return Object.assign(new Error("the account is locked by somebody else"), { code: "55P03" });
}

/** In order of arrival. No two of them have the same key: `take` sees to that. */
function choose(waiting: readonly LaunchRequest[]): Set<LaunchRequest> {
  const chosen = new Set<LaunchRequest>();
  let instances = 0;
  for (const one of waiting) {
    const { quantity } = one.asked.order;
    if (chosen.size > 0 && instances + quantity > mostInstances) continue;
    instances += quantity;
    chosen.add(one);
  }
  return chosen;
}
