// Vouchers: codes that are worth money. Operators create them, and accounts redeem each once. Used by the control interface.
//
// Invariant: a code is shown once, when its voucher is created; only its hash is stored. A voucher is redeemed at most
// `max_uses` times, which its row decides, and once by an account, which the cause of the entry decides.

import { randomInt } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { isUniqueViolation } from "../../database/constraints.ts";
import type { VouchersTable } from "../../database/tables/ledger.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { hashToken } from "../../secrets/token.ts";
import { RentalError } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { type LedgerEntry, postEntry } from "./entries.ts";

export interface Voucher {
  readonly id: string;
  /** For operators, and the reference of its entries. */
  readonly name: string;
  readonly amountCents: number;
  readonly maxUses: number;
  readonly uses: number;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

export type VoucherOrder = Pick<Voucher, "name" | "amountCents" | "maxUses" | "expiresAt"> & {
  /** Absent: one that cannot be guessed. */
  readonly code?: string | undefined;
};

/** Without letters and digits that look alike. */
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** 100 random bits: `XXXXX-XXXXX-XXXXX-XXXXX`. */
function newCode(): string {
  const part = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: 4 }, part).join("-");
}

/** People type codes: dashes, spaces and case do not count. */
function hashOf(code: string): Buffer {
  return hashToken(code.replace(/[\s-]/g, "").toUpperCase());
}

/** `code` is returned only here. Throws RentalError duplicate. */
export async function createVoucher(tx: Transaction, order: VoucherOrder): Promise<Voucher & { code: string }> {
  const code = order.code ?? newCode();
  try {
    const row = await tx
      .insertInto("vouchers")
      .values({
        id: uuidv7(),
        name: order.name,
        code_hash: hashOf(code),
        amount_cents: order.amountCents,
        max_uses: order.maxUses,
        expires_at: order.expiresAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...fromRow(row), code };
  } catch (error) {
    if (!isUniqueViolation(error, "one_voucher_per_code")) throw error;
    throw new RentalError("duplicate", {
      what: "voucher",
      field: "code",
      message: "There is a voucher with this code.",
    });
  }
}

/** Also expired and used ones, oldest first. */
export async function listVouchers(db: Database, page: Page): Promise<Voucher[]> {
  return (await pageOf(db.selectFrom("vouchers").selectAll(), "id", page).execute()).map(fromRow);
}

/** What was redeemed stays. Throws RentalError unknown-object. */
export async function deleteVoucher(tx: Transaction, id: string): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom("vouchers").where("id", "=", asUuid(id)).executeTakeFirst();
  if (numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "voucher", ids: [id] });
}

/** The entry of its amount. Throws RentalError unknown-name, conflict. */
export async function redeemVoucher(tx: Transaction, principal: Principal, code: string): Promise<LedgerEntry> {
  const { accountId, tokenId } = principal;
  const { rows } = await sql<{ id: string; name: string; amount_cents: number }>`
    update vouchers set uses = uses + 1
    where code_hash = ${hashOf(code)} and uses < max_uses and coalesce(expires_at > now(), true)
    returning id, name, amount_cents`.execute(tx);
  const [voucher] = rows;
  if (voucher === undefined) throw await refusalOf(tx, principal, code);
  const entry = await postEntry(tx, {
    ...{ accountId, kind: "voucher", amountMicroCents: BigInt(voucher.amount_cents) * microCentsPerCent, tokenId },
    ...{ cause: causeOf(voucher.id, accountId), reference: voucher.name },
  });
  if (entry === undefined) throw redeemedBefore();
  return entry;
}

const causeOf = (id: string, accountId: string) => `${id}/${accountId}`;

async function refusalOf(tx: Transaction, { accountId }: Principal, code: string): Promise<RentalError> {
  const voucher = await tx
    .selectFrom("vouchers")
    .select(["id", "expires_at", sql<boolean>`uses >= max_uses`.as("is_used_up")])
    .where("code_hash", "=", hashOf(code))
    .executeTakeFirst();
  if (voucher === undefined) {
    const message = "There is no voucher with this code.";
    const fields = { code: { code: "global/object-does-not-exist", message } } as const;
    return new RentalError("unknown-name", { what: "voucher", fields, suggestion: "Check the code." });
  }
  const { rows } = await sql`
    select from ledger_entries where cause = ${`voucher/${causeOf(voucher.id, accountId)}`}`.execute(tx);
  if (rows.length > 0) return redeemedBefore();
  const message = voucher.is_used_up ? "This voucher is used up." : "This voucher has expired.";
  return new RentalError("conflict", { message, suggestion: "Use another voucher." });
}

function redeemedBefore(): RentalError {
  const message = "Your account has redeemed this voucher before.";
  return new RentalError("conflict", { message, suggestion: "Use another voucher: each counts once for an account." });
}

function fromRow(row: Selectable<VouchersTable>): Voucher {
  return {
    id: row.id,
    name: row.name,
    amountCents: row.amount_cents,
    maxUses: row.max_uses,
    uses: row.uses,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}
