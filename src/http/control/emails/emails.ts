// Control interface: emails to accounts, for operators: the queue with what failed, and a test.

import { Type } from "typebox";
import { listEmails, queueTest, type Email as StoredEmail } from "../../../rental/emails/email-store.ts";
import { emailErrorNames, emailLimits, emailStatuses } from "../../../rules/emails.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery, takePage } from "../../api/paging.ts";
import { uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";

const status = Type.Enum([...emailStatuses], {
  title: "EmailStatus",
  description: `\`suppressed\`: the account had more than ${emailLimits.perAccountPerHour} within the hour.`,
});

const Email = Type.Object(
  {
    id: field.uuid(),
    account_id: field.uuid(),
    kind: Type.String({ examples: ["instance_ended"] }),
    recipient: Type.String(),
    subject: Type.String(),
    status,
    attempts: Type.Integer(),
    next_attempt_at: field.orNull(field.timestamp()),
    last_failure: field.orNull(
      Type.Object({
        error: Type.Enum([...emailErrorNames], { title: "EmailError" }),
        response: field.orNull(Type.String({ description: "Of the mail server." })),
      }),
      "Of the last attempt.",
    ),
    created_at: field.timestamp(),
    finished_at: field.orNull(field.timestamp()),
  },
  { title: "Email" },
);

const defaultLimit = 100;

const tag = "Emails";
const example = view({
  id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b70",
  accountId: "0198c59f-0000-7000-8000-000000000001",
  kind: "instance_ended",
  recipient: "ops@acme.example",
  subject: "Instance train-1 was terminated: its lifetime ended",
  status: "waiting",
  attempts: 1,
  nextAttemptAt: new Date("2026-03-01T12:00:05.000Z"),
  lastFailure: { error: "deferred", response: "451 4.7.1 Greylisted" },
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
  finishedAt: null,
});

export function emailRoutes(api: Api): void {
  api.get(
    "/emails",
    {
      id: "listEmails",
      tag,
      summary: "List emails",
      description:
        `Emails to accounts, newest first, for ${emailLimits.keptDays} days. One is tried for a day, with growing ` +
        "delays, unless the mail server rejects it for good.",
      scope: "operator",
      query: Type.Object({
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 200,
            description: `Maximum number of emails. Default: ${defaultLimit}.`,
          }),
        ),
        cursor: pageQuery.cursor,
        status: Type.Optional(status),
        account_id: Type.Optional(Type.String({ ...limit.uuid, description: "Only emails to this account." })),
      }),
      answer: field.many(Email),
      example: { answer: { data: [example] } },
    },
    async ({ db, query, goOnAfter }) => {
      const filter = { status: query.status, accountId: uuidAsked("account_id", "an account", query.account_id) };
      const pageWanted = { limit: query.limit ?? defaultLimit, cursor: query.cursor };
      const { entries, next } = await takePage(pageWanted, byId, (page) => listEmails(db, filter, page));
      if (next !== undefined) goOnAfter(next);
      return { data: entries.map(view) };
    },
  );

  api.post(
    "/emails/test",
    {
      id: "sendTestEmail",
      tag,
      summary: "Send a test email",
      description: "Queues it. Whether it was sent, the list says.",
      scope: "operator",
      body: Type.Object({
        to: Type.Optional(field.emailAddress("Default: the contact address of your account.")),
      }),
      answer: field.one(Email),
      example: { request: { to: "ops@acme.example" }, answer: { data: example } },
      errors: ["conflict"],
    },
    async ({ tx, principal, body }) => ({ data: view(await queueTest(tx, principal, body.to)) }),
  );
}

function view(email: StoredEmail) {
  return {
    id: email.id,
    account_id: email.accountId,
    kind: email.kind,
    recipient: email.recipient,
    subject: email.subject,
    status: email.status,
    attempts: email.attempts,
    next_attempt_at: email.nextAttemptAt?.toISOString() ?? null,
    last_failure: email.lastFailure,
    created_at: email.createdAt.toISOString(),
    finished_at: email.finishedAt?.toISOString() ?? null,
  };
}
