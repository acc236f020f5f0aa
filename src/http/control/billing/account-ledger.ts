// Control interface: what operators record in the ledger of an account: payments by bank transfer, refunds, corrections.

import { Type } from "typebox";
import { postByHand } from "../../../rental/ledger/by-hand.ts";
import { mostEntryCents } from "../../../rules/ledger.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import { entryView, examples, LedgerEntry } from "./ledger-view.ts";

const amountCents = (text: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: mostEntryCents, description: text, examples: [50_000] });
const reference = (text: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: 140, pattern: "^[^\\s\\x00-\\x1f\\x7f](.*[^\\s\\x00-\\x1f\\x7f])?$" },
    description: `${text} 1 to 140 characters on one line, without space at the ends. Each counts once.`,
    examples: ["RF18 5390 0754 7034"],
  });
/** Of the body of a change to what an account has. */
export const reasonText = (example: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: 200, pattern: "^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$" },
    description: "Why, in one line of up to 200 characters. The account reads it.",
    examples: [example],
  });

export function accountLedgerRoutes(api: Api): void {
  const ofAccount = {
    tag: "Accounts",
    scope: "operator",
    right: "money",
    params: field.IdParam,
    answer: field.one(LedgerEntry),
  } as const;

  api.post(
    "/accounts/:id/top-ups",
    {
      ...ofAccount,
      id: "topUpAccount",
      summary: "Record a payment",
      description:
        "A bank transfer that arrived. A reference that was recorded before, for any account, is rejected (409).",
      body: Type.Object({
        amount_cents: amountCents("What arrived."),
        reference: reference("That of the transfer, as your bank shows it."),
      }),
      example: {
        request: { amount_cents: 50_000, reference: "RF18 5390 0754 7034" },
        answer: { data: examples.entry() },
      },
      errors: ["unknown-object", "duplicate"],
    },
    async ({ tx, principal, params, body }) => {
      const order = {
        accountId: params.id,
        kind: "top_up",
        cents: body.amount_cents,
        reference: body.reference,
      } as const;
      return { data: entryView(await postByHand(tx, principal, order)) };
    },
  );

  api.post(
    "/accounts/:id/refunds",
    {
      ...ofAccount,
      id: "refundAccount",
      summary: "Record a refund",
      description:
        "Money that you pay back; this service transfers none. More than the account has left, or than it paid, is rejected (409).",
      statesReason: true,
      body: Type.Object({
        amount_cents: amountCents("What is paid back."),
        reference: reference("That of the transfer."),
        reason: reasonText("The account is closed"),
      }),
      example: {
        request: { amount_cents: 50_000, reference: "R-2026-17", reason: "The account is closed" },
        answer: {
          data: examples.entry({
            ...{ kind: "refund", amountMicroCents: -50_000_000_000n, balanceMicroCents: 0n },
            ...{ reference: "R-2026-17", reason: "The account is closed" },
          }),
        },
      },
      errors: ["unknown-object", "duplicate", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const { amount_cents: cents, ...why } = body;
      const order = { accountId: params.id, kind: "refund", cents, ...why } as const;
      return { data: entryView(await postByHand(tx, principal, order)) };
    },
  );

  api.post(
    "/accounts/:id/adjustments",
    {
      ...ofAccount,
      id: "adjustBalance",
      summary: "Adjust a balance",
      description: "Corrects the balance of an account. Send an Idempotency-Key, so that a retry does not count twice.",
      statesReason: true,
      body: Type.Object({
        amount_cents: amountCents("Above zero gives, below zero takes; not 0.", -mostEntryCents),
        reason: reasonText("Outage on March 1"),
      }),
      example: {
        request: { amount_cents: 5000, reason: "Outage on March 1" },
        answer: {
          data: examples.entry({
            ...{ kind: "adjustment", amountMicroCents: 5_000_000_000n, balanceMicroCents: 55_000_000_000n },
            ...{ reference: null, reason: "Outage on March 1" },
          }),
        },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, principal, params, body }) => {
      const order = {
        accountId: params.id,
        kind: "adjustment",
        cents: body.amount_cents,
        reason: body.reason,
      } as const;
      return { data: entryView(await postByHand(tx, principal, order)) };
    },
  );
}
