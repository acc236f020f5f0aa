// Batches concurrent launches into one transaction (database/group-commit.ts): the only way to launch. Callers pass an
// order and get a result; related work is done in the same transaction by the steps that the queue was created with
// (http/launching/: Idempotency-Key and audit log).
//
// Invariant: a launch and the writes of its steps are committed together or not at all; and launches never wait for a
// lock together with others, so at most `mostAlone` connections wait for a launch's locks.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { GroupCommit, type Outcome } from "../../database/group-commit.ts";
import { behind, type Question, together } from "../../database/round-trips.ts";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { type LaunchOutcome, launchAlone, launchTogether } from "./launch.ts";
import { type Asked, launchQuestions, type Named } from "./plan.ts";

/** Additional work in the launches' transaction, in this order. `Result`: what a request gets. */
export interface LaunchSteps<Request extends Asked, Result, Answers extends readonly unknown[]> {
  /** Sent with the launches' own queries. */
  readonly questions: (requests: readonly Request[]) => { readonly [K in keyof Answers]: Question<Answers[K]> };
  /** Decides by the answers which requests get a result without a launch. The others are launched. */
  readonly before: (
    tx: Transaction,
    requests: readonly Request[],
    answers: Answers,
  ) => Promise<Settled<Request, Result>>;
  /** Writes what belongs to launched requests and those that `before` settled. Returns the results of the former. */
  readonly after: (
    tx: Transaction,
    launched: ReadonlyMap<Request, readonly Instance[]>,
    settled: Settled<Request, Result>,
  ) => Promise<ReadonlyMap<Request, Result>>;
}

export type Settled<Request, Result> = ReadonlyMap<Request, Exclude<Outcome<Result>, string>>;

/** Maximum instances per transaction, unless a single launch is larger. */
const mostInstances = 64;
/** Maximum concurrent launches that are tried alone: they can wait for locks, and others need connections too. */
const mostAlone = 3;
/** How long a launch waits for its account's locked row. */
const patienceMs = 3_000;

/**
 * Launches read few rows, also for foreign keys. Plans are kept per connection, and a plan for a nearly empty table
 * scans all of it until autovacuum runs: measured up to 1.8 ms per foreign key of a launch, at its commit, in the first
 * minutes of a new database.
 */
const byIndex = sql`set local enable_seqscan = off`;

export class LaunchQueue<Request extends Asked, Result, Answers extends readonly unknown[]> {
  readonly #steps: LaunchSteps<Request, Result, Answers>;
  readonly #group: GroupCommit<Request, Result>;

  constructor(db: Database, service: Service, steps: LaunchSteps<Request, Result, Answers>) {
    const { capacity } = service;
    this.#steps = steps;
    this.#group = new GroupCommit({
      mostAlone,
      patience: { ms: patienceMs, error: accountIsLocked },
      choose,
      together: (requests) =>
        inTransaction(db, async (tx) => {
          await behind(byIndex).execute(tx);
          // The capacity cache refreshes in parallel with the transaction's first queries.
          return this.#run(tx, requests, capacity.refresh(), (...launches) => launchTogether(tx, service, ...launches));
        }),
      alone: async (request) => {
        // Before a connection is taken, which others might need.
        const looked = capacity.refresh();
        await looked;
        return inTransaction(db, async (tx) => {
          await behind(byIndex).execute(tx);
          await behind(sql`set local lock_timeout = ${sql.lit(patienceMs)}`).execute(tx);
          const [outcome] = await this.#run(tx, [request], looked, (asked, named) =>
            Promise.all(asked.map((one) => launchAlone(tx, service, one, named))),
          );
          if (outcome === undefined || typeof outcome === "string") throw new Error("BUG: a launch alone was put off");
          if ("error" in outcome) throw outcome.error;
          return outcome.result;
        });
      },
    });
  }

  /** The result, after the commit. Throws the error of the request. */
  take(request: Request): Promise<Result> {
    return this.#group.do(request);
  }

  /** The result of each, in order. `looked`: resolves when the capacity cache was refreshed after they came. */
  async #run(
    tx: Transaction,
    requests: readonly Request[],
    looked: Promise<void>,
    launch: (asked: readonly Request[], named: Named) => Promise<readonly LaunchOutcome[]>,
  ): Promise<readonly Outcome<Result>[]> {
    const { questions, before, after } = this.#steps;
    const asked = together<readonly [...Named, ...Answers]>(tx, [
      ...launchQuestions(tx, requests),
      ...questions(requests),
    ]);
    const [[products, regions, images, keys, bounds, ...rest]] = await Promise.all([asked, looked]);
    const answers = rest as unknown as Answers; // to `questions`, which stand behind those of the launches
    const settled = await before(tx, requests, answers);
    const fresh = requests.filter((request) => !settled.has(request));
    const launches = await launch(fresh, [products, regions, images, keys, bounds]);
    const outcomes = new Map<Request, Outcome<Result>>(settled);
    const launched = new Map<Request, readonly Instance[]>();
    for (const [index, request] of fresh.entries()) {
      const outcome = launches[index] ?? "alone";
      if (typeof outcome === "string") outcomes.set(request, outcome);
      else if (outcome instanceof RentalError) outcomes.set(request, { error: outcome });
      else launched.set(request, outcome);
    }
    for (const [request, result] of await after(tx, launched, settled)) outcomes.set(request, { result });
    return requests.map((request) => outcomes.get(request) ?? "alone");
  }
}

/** The same error as the database's (unavailable.ts). */
function accountIsLocked(): Error {
  return Object.assign(new Error("the account is locked by somebody else"), { code: "55P03" });
}

/** In order of arrival. */
function choose<Request extends Asked>(waiting: readonly Request[]): Set<Request> {
  const chosen = new Set<Request>();
  let instances = 0;
  for (const one of waiting) {
    const { quantity } = one.order;
    if (chosen.size > 0 && instances + quantity > mostInstances) continue;
    instances += quantity;
    chosen.add(one);
  }
  return chosen;
}
