// A webhook as its account sees it, and its events. Used by webhook-store.ts and by the reconciler, which disables
// failing ones.

import type { Selectable } from "kysely";
import type { WebhooksTable } from "../../database/tables/events.ts";
import type { EventWord } from "../events/event-types.ts";
import type { NewEvent } from "../events/record.ts";
import { type AttemptError, attemptErrors } from "./attempt-errors.ts";

/** Why the service disabled it: nothing was delivered for a day, or its target returned 410 Gone. */
export type DisabledReason = "failing" | "gone";

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Globs (events/type-globs.ts); empty: all. */
  readonly eventTypes: readonly string[];
  readonly active: boolean;
  readonly disabledReason: DisabledReason | null;
  /** Deliveries that are neither delivered nor failed. */
  readonly pending: number;
  /** The first failure since the last success. */
  readonly failingSince: Date | null;
  /** Of the last attempt, if it failed. */
  readonly lastFailure: { readonly error: AttemptError; readonly statusCode: number | null } | null;
  /** Until when nothing is attempted, after repeated failures. */
  readonly pausedUntil: Date | null;
  /** Until when the previous secret also signs. */
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
}

export type WebhookRow = Selectable<WebhooksTable>;

/**
 * Without the URL, which might be confidential to fewer people than the events. If the service disabled it: why, with
 * the last failure.
 */
export function webhookEvent(
  row: Pick<
    WebhookRow,
    | "id"
    | "account_id"
    | "description"
    | "active"
    | "disabled_reason"
    | "failing_since"
    | "last_error"
    | "last_status_code"
  >,
  word: EventWord<"webhook">,
): NewEvent {
  return {
    accountId: row.account_id,
    type: `webhook.${word}`,
    subjectId: row.id,
    data: {
      webhook_id: row.id,
      description: row.description,
      active: row.active,
      ...(row.disabled_reason !== null && {
        reason: row.disabled_reason,
        failing_since: row.failing_since?.toISOString() ?? null,
        error: row.last_error,
        status_code: row.last_status_code,
      }),
    },
  };
}

/** `now`: the database's. */
export function fromRow(row: WebhookRow, now: Date): Webhook {
  const { previous_secret_until: until, disabled_reason: reason } = row;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    active: row.active,
    disabledReason: reason === "failing" || reason === "gone" ? reason : null,
    pending: row.pending,
    failingSince: row.failing_since,
    lastFailure: failureOf(row),
    pausedUntil: row.paused_until !== null && row.paused_until > now ? row.paused_until : null,
    previousSecretUntil: until !== null && until > now ? until : null,
    createdAt: row.created_at,
  };
}

/** An error code of another version is shown without a code. */
function failureOf({ last_error: text, last_status_code: statusCode }: WebhookRow): Webhook["lastFailure"] {
  if (text === null) return null;
  return { error: attemptErrors.find((one) => one === text) ?? "connection_failed", statusCode };
}
