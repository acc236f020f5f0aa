// Launches of all interfaces: rental's launch queue receives the request's order and, as steps in the same transaction,
// the use of its Idempotency-Key and its audit log entry; each request gets its own response or rejection.
// Used by api/operations.ts.

import { RentalError } from "../../rental/errors.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import type { Asked } from "../../rental/launching/plan.ts";
import { LaunchQueue, type LaunchSteps } from "../../rental/launching/queue.ts";
import { beginWait, type Wait } from "../../rental/waiting/begin-wait.ts";
import { blockedBy } from "../../rental/waiting/blockers.ts";
import type { WaitingLaunch } from "../../rental/waiting/waiting-launch.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { auditChanges } from "../api/audit.ts";
import { type ChangeRequest, change } from "../api/change.ts";
import type { HttpContext } from "../api/context.ts";
import { firstAnswers, type KeyUse, keyQuestions, type Response, storeResponses } from "../api/idempotency.ts";
import { HttpError } from "../errors/api-error.ts";
import { inWords } from "../errors/response.ts";

/** A launch waiting for a shared transaction. */
export interface LaunchRequest extends ChangeRequest, Asked {
  readonly answerWith: (launched: readonly Instance[]) => Response;
  /** What follows if it cannot be placed now; undefined: it is rejected. */
  readonly wait?: (Wait & { readonly answerWith: (waiting: WaitingLaunch) => Response }) | undefined;
}

export class Launches {
  readonly #parts: Pick<HttpContext, "db" | "service">;
  readonly #queue: LaunchQueue<LaunchRequest, Response, KeyAnswers>;
  /** The keys of unanswered requests. */
  readonly #keys = new Set<string>();

  constructor(parts: Pick<HttpContext, "db" | "service">) {
    const { db, service } = parts;
    this.#parts = parts;
    this.#queue = new LaunchQueue(db, service, stepsWith(service.keyRing));
  }

  /**
   * The request's response, after the commit. Throws its rejection; immediately if the first request with its key is
   * here and unanswered (idempotency.ts finds those on other replicas). So no two in the queue have one key.
   */
  async take(request: LaunchRequest): Promise<Response> {
    const { use } = request;
    if (use === undefined) return this.#placeOrWait(request);
    const key = `${use.principal.accountId} ${use.key}`;
    if (this.#keys.has(key)) throw new HttpError("idempotency-in-progress", {});
    this.#keys.add(key);
    try {
      return await this.#placeOrWait(request);
    } finally {
      this.#keys.delete(key);
    }
  }

  /** Between the rejection and the wait it may have become possible: then the wait is short. */
  async #placeOrWait(request: LaunchRequest): Promise<Response> {
    const { wait, order } = request;
    try {
      return await this.#queue.take(request);
    } catch (error) {
      const blocked = error instanceof RentalError ? blockedBy(error, order, inWords) : undefined;
      // What costs more than it pays from the beginning is a mistake.
      if (wait === undefined || blocked === undefined || blocked.by === "price") throw error;
      return change(this.#parts, request, async (tx) =>
        wait.answerWith(await beginWait(tx, this.#parts.service, request, wait, blocked)),
      );
    }
  }
}

type KeyAnswers = Parameters<typeof firstAnswers>[3];

function stepsWith(keyRing: KeyRing): LaunchSteps<LaunchRequest, Response, KeyAnswers> {
  return {
    questions: (requests) => keyQuestions(keyed(requests).map(({ use }) => use)),

    before: async (tx, requests, answers) => {
      const withKey = keyed(requests);
      const uses = withKey.map(({ use }) => use);
      const first = await firstAnswers(tx, keyRing, uses, answers);
      return new Map(
        withKey.flatMap(({ request }, index) => {
          const answer = first[index];
          if (answer === undefined) return [];
          return [[request, answer instanceof HttpError ? { error: answer } : { result: answer }]];
        }),
      );
    },

    after: async (tx, launched, settled) => {
      const fresh = new Map([...launched].map(([request, instances]) => [request, request.answerWith(instances)]));
      const repeated = [...settled].flatMap(([request, outcome]) =>
        "error" in outcome ? [] : [{ ...request, answer: outcome.result }],
      );
      const answered = [...fresh].map(([request, answer]) => ({ ...request, answer }));
      await storeResponses(
        tx,
        keyRing,
        keyed(answered).map(({ use, request: { answer } }) => ({ use, answer })),
      );
      await auditChanges(tx, [...answered, ...repeated]);
      return fresh;
    },
  };
}

/** The requests with a key. */
function keyed<R extends Pick<LaunchRequest, "use">>(requests: readonly R[]): { request: R; use: KeyUse }[] {
  return requests.flatMap((request) => (request.use === undefined ? [] : [{ request, use: request.use }]));
}

/** The first instance of a launch. */
export function firstOf([first]: readonly Instance[]): Instance {
  if (first === undefined) throw new Error("BUG: a launch makes at least one instance");
  return first;
}
