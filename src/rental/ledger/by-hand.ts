// Entries that operators make: payments that arrived by bank transfer, money that was paid back, and corrections. Used by the
// control interface.
//
// Invariant: a reference of a payment counts once in the installation, and one of a refund too. No more is paid back than the
// account has, and than it paid: the lock of its row orders refunds.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { type LedgerKind, ledgerKinds } from "../../rules/ledger.ts";
import { lockedAccounts, readAccount } from "../accounts/account-store.ts";
import { invalid, RentalError } from "../errors.ts";
import type { EventType } from "../events/event-types.ts";
import { recordEvents } from "../events/record.ts";
import { quoted } from "../quoted.ts";
import type { Principal } from "../service.ts";
import { readBalance } from "./balance.ts";
import { type LedgerEntry, ofPayments, postEntry } from "./entries.ts";

/** The kinds that operators make. */
export type KindByHand = {
  [K in LedgerKind]: "operator" extends (typeof ledgerKinds)[K]["madeBy"][number] ? K : never;
}[LedgerKind];

const events: Readonly<Record<KindByHand, EventType>> = {
  top_up: "payment.received",
  refund: "payment.refunded",
  adjustment: "balance.adjusted",
};

export interface OrderByHand {
  readonly accountId: string;
  readonly kind: KindByHand;
  /** Whole cents; of an adjustment below zero to take them away, otherwise above zero. */
  readonly cents: number;
  /** Exactly for the kinds that need one. */
  readonly reference?: string | undefined;
  readonly reason?: string | undefined;
}

/** Throws RentalError unknown-object, duplicate, conflict, invalid-parameters. */
export async function postByHand(tx: Transaction, principal: Principal, order: OrderByHand): Promise<LedgerEntry> {
  const { kind, cents, reference, reason } = order;
  if (cents === 0) throw invalid("amount_cents", "Must not be 0.");
  if (reference?.startsWith(ofPayments)) throw invalid("reference", `Must not begin with ${ofPayments}`);
  const { id } = await readAccount(tx, order.accountId);
  const { sign } = ledgerKinds[kind];
  const amountMicroCents = BigInt(sign === "-" ? -cents : cents) * microCentsPerCent;
  if (kind === "refund") await refuseMoreThanPaid(tx, id, -amountMicroCents);
  const entry = await postEntry(tx, {
    ...{ accountId: id, kind, amountMicroCents, tokenId: principal.tokenId },
    cause: reference ?? crypto.randomUUID(),
    ...(reference !== undefined && { reference }),
    ...(reason !== undefined && { reason }),
  });
  if (entry === undefined) {
    const message = `The reference ${quoted(reference ?? "")} was recorded before.`;
    throw new RentalError("duplicate", { what: "entry", field: "reference", message });
  }
  await recordEvents(tx, [{ accountId: id, type: events[kind], subjectId: id, data: dataOf(entry) }]);
  return entry;
}

function dataOf({ accountId, amountMicroCents, reference, reason }: LedgerEntry) {
  return { account_id: accountId, amount_cents: Number(amountMicroCents / microCentsPerCent), reference, reason };
}

/** Throws RentalError conflict. */
async function refuseMoreThanPaid(tx: Transaction, accountId: string, microCents: bigint): Promise<void> {
  await ask(tx, lockedAccounts(tx, [accountId]));
  const { rows } = await sql<{ paid: string }>`
    select coalesce(-sum(amount_micro_cents), 0)::text as paid from ledger_lines
    where account_id = ${accountId} and ledger_account = 'cash'`.execute(tx);
  const paid = BigInt(rows[0]?.paid ?? "0");
  const { microCents: balance } = await readBalance(tx, accountId);
  const most = paid < balance ? paid : balance;
  if (microCents <= most) return;
  throw new RentalError("conflict", {
    message:
      most < microCentsPerCent
        ? "Nothing can be paid back: the account has no money left, or paid none."
        : `At most ${most / microCentsPerCent} cents can be paid back: the account has not more left, or did not pay more.`,
    suggestion: "Refund less, or correct the balance first.",
  });
}
