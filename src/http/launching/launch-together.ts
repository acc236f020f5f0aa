// Many launches in one transaction: the keys of all, what comes of each, its answer kept and its entry in the audit log.
// Each request gets its own answer or refusal; what needs to be tried alone is said, and nothing of it was done.
// Used by launch-queue.ts.

import { type Transaction, together } from "../../database/connect.ts";
import type { Outcome } from "../../database/group-commit.ts";
import { RentalError } from "../../rental/errors.ts";
import { type Asked, launchQuestions, launchTogether } from "../../rental/instances/index.ts";
import type { Service } from "../../rental/service.ts";
import { auditChanges } from "../api/audit.ts";
import { firstAnswers, keyQuestions, type Response, storeResponses } from "../api/idempotency.ts";
import { HttpError } from "../errors/api-error.ts";
import type { LaunchRequest } from "./launch-request.ts";

/**
 * What comes of each, in their order. No two of them have the same key of one account. The mirror of what is free is
 * brought up to date beside the transaction's first questions.
 */
export async function answerTogether(
  tx: Transaction,
  service: Service,
  requests: readonly LaunchRequest[],
): Promise<Outcome<Response>[]> {
  const keyed = requests.flatMap((one) => (one.use === undefined ? [] : [{ one, use: one.use }]));
  const uses = keyed.map(({ use }) => use);
  const questions = [...keyQuestions(uses), ...launchQuestions(tx, asksOf(requests))] as const;
  const [[alone, kept, ...named]] = await Promise.all([together(tx, questions), service.capacity.refresh()]);
  const first = await firstAnswers(tx, service.keyRing, uses, [alone, kept]);
  const outcomes = new Map<LaunchRequest, Outcome<Response>>(
    keyed.flatMap(({ one }, index) => {
      const answer = first[index];
      if (answer === undefined) return [];
      return [[one, answer instanceof HttpError ? { error: answer } : { result: answer }]];
    }),
  );
  const fresh = requests.filter((one) => !outcomes.has(one));
  const launched = await launchTogether(tx, service, asksOf(fresh), named);
  for (const [index, one] of fresh.entries()) {
    const outcome = launched[index] ?? "alone";
    if (outcome === "alone" || outcome === "later") outcomes.set(one, outcome);
    else if (outcome instanceof RentalError) outcomes.set(one, { error: outcome });
    else outcomes.set(one, { result: one.answerWith(outcome) });
  }
  const answered = requests.flatMap((one) => {
    const outcome = outcomes.get(one) ?? "alone";
    return typeof outcome === "string" || "error" in outcome ? [] : [{ ...one, answer: outcome.result }];
  });
  const isFresh = new Set(fresh.map(({ use }) => use));
  const toKeep = answered.flatMap(({ use, answer }) =>
    use !== undefined && isFresh.has(use) ? [{ use, answer }] : [],
  );
  await storeResponses(tx, service.keyRing, toKeep);
  await auditChanges(tx, answered);
  return requests.map((one) => outcomes.get(one) ?? "alone");
}

function asksOf(requests: readonly LaunchRequest[]): Asked[] {
  return requests.map(({ asked }) => asked);
}
