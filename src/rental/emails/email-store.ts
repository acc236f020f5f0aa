// What operators see of emails: the queue, and a test of their own.

import type { Selectable } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import type { EmailsTable } from "../../database/tables/emails.ts";
import { type EmailError, type EmailStatus, emailErrorNames, emailStatuses, testEmail } from "../../rules/emails.ts";
import { RentalError } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { queueEmails } from "./queue.ts";

export interface Email {
  readonly id: string;
  readonly accountId: string;
  readonly kind: string;
  readonly recipient: string;
  readonly subject: string;
  readonly status: EmailStatus;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  /** Of the last attempt, if it failed: why, and the response of the mail server. */
  readonly lastFailure: { readonly error: EmailError; readonly response: string | null } | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Of all accounts, newest first; absent fields do not filter. */
export async function listEmails(
  db: Database,
  { status, accountId }: { status?: EmailStatus | undefined; accountId?: string | undefined },
  page: Page,
): Promise<Email[]> {
  let query = db.selectFrom("emails").selectAll();
  if (status !== undefined) query = query.where("status", "=", status);
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  return (await pageOf(query, "id", { ...page, descending: true }).execute()).map(fromRow);
}

/**
 * Queues a test to this address, or to the contact address of the operator's account. Throws RentalError conflict: there
 * is none, email is not configured, or the account had too many within the hour.
 */
export async function queueTest(tx: Transaction, { accountId }: Principal, to: string | undefined): Promise<Email> {
  const cause = uuidv7();
  await queueEmails(tx, [{ ...testEmail(cause), accountId, ...(to === undefined ? {} : { recipient: to }) }]);
  const row = await tx
    .selectFrom("emails")
    .selectAll()
    .where("kind", "=", "test")
    .where("cause", "=", cause)
    .executeTakeFirst();
  if (row === undefined) {
    throw new RentalError("conflict", {
      message: "No email was queued: email is not configured, or your account has no contact address.",
      suggestion: "Set `email` in lessor.yaml and restart. Give `to`, or set the contact_email of your account.",
    });
  }
  const email = fromRow(row);
  if (email.status === "suppressed") {
    throw new RentalError("conflict", {
      message: "Your account had too many emails within the hour.",
      suggestion: "Retry in an hour.",
    });
  }
  return email;
}

function fromRow(row: Selectable<EmailsTable>): Email {
  const { last_error: error, last_response: response } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    recipient: row.recipient,
    subject: row.subject,
    status: known(emailStatuses, row.status),
    attempts: row.tries,
    nextAttemptAt: row.next_attempt_at,
    lastFailure: error === null ? null : { error: known(emailErrorNames, error), response },
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** Throws "BUG: …" for any other, which only this service writes. */
function known<Word extends string>(words: readonly Word[], word: string): Word {
  const found = words.find((one) => one === word);
  if (found === undefined) throw new Error(`BUG: unknown word ${JSON.stringify(word)} of an email`);
  return found;
}
