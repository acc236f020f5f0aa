// A webhook as its account sees it, and the events that tell of it. Used by webhook-store.ts and by fulfilment, which
// switches off those that are in vain.

import type { Selectable } from "kysely";
import type { WebhooksTable } from "../../database/schema.ts";
import type { EventWord } from "../events/event-types.ts";
import type { NewEvent } from "../events/record.ts";

/** Why the service switched one off: nothing was delivered for days, or its target answered 410 Gone. */
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
  /** Until when the former secret signs too. */
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
}

export type WebhookRow = Selectable<WebhooksTable>;

/** Not the URL: it may be known to fewer people than the events are. */
export function webhookEvent(
  row: Pick<WebhookRow, "id" | "account_id" | "description" | "active" | "disabled_reason">,
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
      ...(row.disabled_reason !== null && { reason: row.disabled_reason }),
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
    previousSecretUntil: until !== null && until > now ? until : null,
    createdAt: row.created_at,
  };
}
