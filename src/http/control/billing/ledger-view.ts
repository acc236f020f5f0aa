// Balances and entries of the ledger in responses of the control interface. Used by ledger.ts, account-ledger.ts and
// vouchers.ts.

import { Type } from "typebox";
import type { Exhausted } from "../../../rental/funds/exhausted.ts";
import { type Funds, runwaySeconds } from "../../../rental/funds/funds.ts";
import type { Balance as StoredBalance } from "../../../rental/ledger/balance.ts";
import type { LedgerEntry as StoredEntry } from "../../../rental/ledger/entries.ts";
import { ledgerKindNames, ledgerKinds } from "../../../rules/ledger.ts";
import type { Terms } from "../../../rules/payment-terms.ts";
import type { TopUpLimits } from "../../../rules/payments.ts";
import type { Key } from "../../api/paging.ts";
import { sampleInstance } from "../../api/samples.ts";
import * as field from "../fields.ts";
import { centsText } from "./money.ts";

const microCents = (text: string) => Type.String({ description: `${text} Millionths of a cent, a whole number.` });
const cents = () => Type.String({ description: "The same in cents, with six fractional digits." });

export const Balance = Type.Object(
  {
    account_id: field.uuid(),
    balance_micro_cents: microCents("What the account can spend; below zero, what it owes."),
    balance_cents: cents(),
    pending_micro_cents: microCents("Usage, less credits, that the balance counts and no entry has yet."),
    pending_cents: cents(),
    payment_terms: field.paymentTerms(),
    credit_line_cents: field.orNull(Type.Integer()),
    held_since: field.orNull(field.timestamp(), "On hold since then, because a payment was disputed. Null: it is not."),
    runway: field.orNull(
      Type.Object({
        cents_per_hour: Type.String({ description: "What runs and no reservation pays for costs so much in an hour." }),
        seconds: Type.Integer({ description: "How long the money lasts." }),
        empty_at: field.timestamp(),
      }),
      "Of what runs now. Null where nothing does, or where the balance has no bound.",
    ),
    exhausted: field.orNull(
      Type.Object({
        since: field.timestamp(),
        stop_at: field.orNull(field.timestamp(), "Null: they are not stopped before."),
        terminate_at: field.timestamp(),
      }),
      "When running instances are stopped and terminated, because the money is used up. Null: there is money, or nothing runs.",
    ),
    top_ups: field.orNull(
      Type.Object({
        min_amount_cents: Type.Integer({ examples: [500] }),
        max_amount_cents: Type.Integer({ examples: [1_000_000] }),
        currency: Type.String({ examples: ["usd"] }),
      }),
      "What a top-up can have. Null: this service takes no payments online.",
    ),
    at: Type.String({ format: "date-time", description: "When that was so." }),
  },
  { title: "Balance" },
);

export interface BalanceParts {
  readonly balance: StoredBalance;
  readonly terms: Terms & { readonly heldSince: Date | null };
  /** Undefined: the balance has no bound. */
  readonly funds: Funds | undefined;
  readonly exhausted: Exhausted | undefined;
  /** Undefined: no payments are taken. */
  readonly topUps: TopUpLimits | undefined;
}

export function balanceView(accountId: string, { balance, terms, funds, exhausted, topUps }: BalanceParts) {
  const seconds = funds && runwaySeconds(funds);
  return {
    account_id: accountId,
    balance_micro_cents: String(balance.microCents),
    balance_cents: centsText(balance.microCents),
    pending_micro_cents: String(balance.pendingMicroCents),
    pending_cents: centsText(balance.pendingMicroCents),
    payment_terms: terms.paymentTerms,
    credit_line_cents: terms.creditLineCents,
    held_since: terms.heldSince?.toISOString() ?? null,
    runway:
      funds === undefined || seconds === undefined
        ? null
        : {
            cents_per_hour: centsText(funds.perHour),
            seconds,
            empty_at: new Date(balance.at.getTime() + seconds * 1000).toISOString(),
          },
    exhausted:
      exhausted === undefined
        ? null
        : {
            since: exhausted.since.toISOString(),
            stop_at: exhausted.stopAt?.toISOString() ?? null,
            terminate_at: exhausted.terminateAt.toISOString(),
          },
    top_ups:
      topUps === undefined
        ? null
        : {
            ...{ min_amount_cents: topUps.minAmountCents, max_amount_cents: topUps.maxAmountCents },
            currency: topUps.currency,
          },
    at: balance.at.toISOString(),
  };
}

export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: "Later entries have greater numbers.", examples: ["4711"] }),
    account_id: field.uuid(),
    kind: Type.Enum(ledgerKindNames, {
      title: "LedgerKind",
      description: ledgerKindNames.map((kind) => `\`${kind}\`: ${ledgerKinds[kind].meaning}`).join(" "),
    }),
    amount_micro_cents: microCents("By how much the balance changed."),
    amount_cents: cents(),
    balance_micro_cents: microCents("The sum of the entries up to this one."),
    balance_cents: cents(),
    month: field.orNull(Type.String({ examples: ["2026-03"] }), "Of usage and credits, in UTC."),
    until: field.orNull(field.timestamp(), "Of usage and credits: they count until then."),
    reference: field.orNull(Type.String(), "That of the payment, or the name of the voucher."),
    reason: field.orNull(Type.String()),
    created_at: field.timestamp(),
  },
  { title: "LedgerEntry" },
);

export function entryView(entry: StoredEntry) {
  return {
    id: String(entry.id),
    account_id: entry.accountId,
    kind: entry.kind,
    amount_micro_cents: String(entry.amountMicroCents),
    amount_cents: centsText(entry.amountMicroCents),
    balance_micro_cents: String(entry.balanceMicroCents),
    balance_cents: centsText(entry.balanceMicroCents),
    month: entry.month,
    until: entry.until?.toISOString() ?? null,
    reference: entry.reference,
    reason: entry.reason,
    created_at: entry.createdAt.toISOString(),
  };
}

export const byEntry: Key<StoredEntry> = {
  of: ({ id }) => `${id}`,
  accepts: (text) => /^[1-9][0-9]{0,15}$/.test(text),
};

const entry: StoredEntry = {
  id: 4711,
  accountId: sampleInstance.accountId,
  kind: "top_up",
  amountMicroCents: 50_000_000_000n,
  balanceMicroCents: 50_000_000_000n,
  month: null,
  until: null,
  reference: "RF18 5390 0754 7034",
  reason: null,
  tokenId: null,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
};

export const examples = {
  entry: (more: Partial<StoredEntry> = {}) => entryView({ ...entry, ...more }),
  balance: balanceView(entry.accountId, {
    balance: {
      microCents: 49_775_900_000n,
      postedMicroCents: 50_000_000_000n,
      pendingMicroCents: 224_100_000n,
      at: new Date("2026-03-02T12:00:00.000Z"),
    },
    terms: { paymentTerms: "prepaid", creditLineCents: null, heldSince: null },
    funds: {
      ...{ accountId: entry.accountId, balance: 49_775_900_000n, left: 49_775_900_000n, active: 0n, scheduled: 0n },
      ...{ perHour: 224_100_000n, ahead: 0n },
    },
    exhausted: undefined,
    topUps: { minAmountCents: 500, maxAmountCents: 1_000_000, currency: "usd" },
  }),
};
