// Control interface: webhooks and their deliveries in requests and responses. A secret is only in the response that
// creates it. Used by webhooks.ts and webhook-deliveries.ts.

import { Type } from "typebox";
import { mostGlobs } from "../../../rental/events/type-globs.ts";
import { attemptErrors } from "../../../rental/webhooks/attempt-errors.ts";
import {
  attemptsKept,
  deliveryBody,
  deliveryStatuses,
  type Delivery as StoredDelivery,
  type DeliveryInFull as StoredDeliveryInFull,
} from "../../../rental/webhooks/delivery.ts";
import type { Webhook as StoredWebhook } from "../../../rental/webhooks/webhook.ts";
import {
  defaultOverlapSeconds,
  longestOverlapSeconds,
  type WithSecret,
} from "../../../rental/webhooks/webhook-store.ts";
import * as limit from "../../api/documented-limits.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const globs = (text: string) =>
  Type.Array(Type.String({ ...limit.eventType }), {
    maxItems: mostGlobs,
    description: text,
    examples: [["instance.*", "ssh_key.created"]],
  });

const AttemptError = Type.Enum(attemptErrors, { title: "AttemptError" });
export const DeliveryStatus = Type.Enum(deliveryStatuses, { title: "DeliveryStatus" });

const shown = {
  id: field.uuid(),
  url: Type.String({ examples: ["https://example.com/hooks/lessor"] }),
  description: Type.String({ examples: ["Billing"] }),
  event_types: globs("Types, or globs such as `instance.*`. Empty: all."),
  active: Type.Boolean(),
  disabled_reason: field.orNull(
    Type.Enum(["failing", "gone"] as const, { title: "DisabledReason" }),
    "Why it was disabled automatically: no delivery succeeded for a day, or its target responded with 410.",
  ),
  pending_deliveries: Type.Integer({ description: "Neither delivered nor failed." }),
  failing_since: field.orNull(field.timestamp(), "The first failure since the last success."),
  last_failure: field.orNull(
    Type.Object(
      { error: AttemptError, status_code: field.orNull(Type.Integer(), "Null if there was no response.") },
      { title: "WebhookFailure" },
    ),
    "Of the last attempt. Null if it succeeded or there was none.",
  ),
  paused_until: field.orNull(
    field.timestamp(),
    "Time of the next attempt after repeated failures. Other deliveries follow when it succeeds.",
  ),
  previous_secret_until: field.orNull(field.timestamp(), "Until when the previous secret also signs."),
  created_at: field.timestamp(),
};
export const Webhook = Type.Object(shown, { title: "Webhook" });
export const MadeWebhook = Type.Object(
  {
    ...shown,
    secret: Type.String({ description: "Signs its deliveries. Shown only once.", examples: ["whsec_…"] }),
  },
  { title: "MadeWebhook" },
);

const url = Type.String({
  maxLength: 2048,
  description:
    "An https URL without user name and password, at a public internet address. The operator can allow more.",
  examples: ["https://example.com/hooks/lessor"],
});
const settable = {
  description: field.words("Free text. Default: none.", "Billing"),
  event_types: Type.Optional(globs("Types, or globs such as `instance.*`. Default, and empty: all.")),
  active: Type.Optional(
    Type.Boolean({ description: "Default: true. When re-enabled, delivery resumes with the next undelivered event." }),
  ),
};
export const CreateWebhook = Type.Object({ url, ...settable });
export const ChangeWebhook = Type.Object({ url: Type.Optional(url), ...settable });
export const RotateSecret = Type.Object({
  overlap_seconds: Type.Optional(
    field.whole(
      0,
      longestOverlapSeconds,
      `How long the current secret also signs; 0: all previous secrets stop signing. Default: ${defaultOverlapSeconds}, a day.`,
    ),
  ),
});

export function webhook(one: StoredWebhook) {
  return {
    id: one.id,
    url: one.url,
    description: one.description,
    event_types: [...one.eventTypes],
    active: one.active,
    disabled_reason: one.disabledReason,
    pending_deliveries: one.pending,
    failing_since: one.failingSince?.toISOString() ?? null,
    last_failure: one.lastFailure && { error: one.lastFailure.error, status_code: one.lastFailure.statusCode },
    paused_until: one.pausedUntil?.toISOString() ?? null,
    previous_secret_until: one.previousSecretUntil?.toISOString() ?? null,
    created_at: one.createdAt.toISOString(),
  };
}

export function madeWebhook(one: WithSecret) {
  return { ...webhook(one), secret: one.secret };
}

const delivery = {
  id: field.uuid(),
  event_id: Type.String({ format: "uuid", description: "The value of the webhook-id header." }),
  event_type: Type.String({ examples: ["instance.active"] }),
  status: DeliveryStatus,
  asked_for: Type.Boolean({ description: "Whether it is a test or a resend." }),
  attempts: Type.Integer(),
  next_attempt_at: field.orNull(
    field.timestamp(),
    "Null while it waits for an earlier delivery of the same subject, and when it is finished.",
  ),
  created_at: field.timestamp(),
  finished_at: field.orNull(field.timestamp()),
};
export const Delivery = Type.Object(delivery, { title: "Delivery" });
export const DeliveryInFull = Type.Object(
  {
    ...delivery,
    body: Type.String({ description: "The body, identical for every attempt." }),
    log: Type.Array(
      Type.Object({
        at: field.timestamp(),
        status_code: field.orNull(Type.Integer(), "Null if there was no response."),
        milliseconds: Type.Integer(),
        error: field.orNull(AttemptError, "Null: delivered."),
        answer: Type.String({ description: "The first KiB of the response body." }),
      }),
      { description: `The last ${attemptsKept} attempts, oldest first.` },
    ),
  },
  { title: "DeliveryInFull" },
);

export function deliveryView(one: StoredDelivery) {
  return {
    id: one.id,
    event_id: one.eventId,
    event_type: one.eventType,
    status: one.status,
    asked_for: one.asked,
    attempts: one.attempts,
    next_attempt_at: one.nextAttemptAt?.toISOString() ?? null,
    created_at: one.createdAt.toISOString(),
    finished_at: one.finishedAt?.toISOString() ?? null,
  };
}

export function deliveryInFull(one: StoredDeliveryInFull) {
  return { ...deliveryView(one), body: one.body, log: one.log.map((attempt) => ({ ...attempt })) };
}

const sampleWebhook: StoredWebhook = {
  id: "0198c5c0-66aa-7bb1-8cc2-dd33ee44ff55",
  url: "https://example.com/hooks/lessor",
  description: "Billing",
  eventTypes: ["instance.*"],
  active: true,
  disabledReason: null,
  pending: 0,
  failingSince: null,
  lastFailure: null,
  pausedUntil: null,
  previousSecretUntil: null,
  createdAt: new Date("2026-03-01T11:00:00.000Z"),
};
const secret = "whsec_RVhBTVBMRS1BTkQtTk9ULUEtU0VDUkVULTMyLUJZVEU=";
const sampleDelivery: StoredDeliveryInFull = {
  id: "0198c5c1-77bb-7cc2-8dd3-ee44ff556677",
  eventId: "5b0c9d52-8f1e-4a67-9a55-0d8f6a3f7c21",
  eventType: "instance.active",
  status: "delivered",
  asked: false,
  attempts: 1,
  nextAttemptAt: null,
  createdAt: new Date("2026-03-01T12:00:42.100Z"),
  finishedAt: new Date("2026-03-01T12:00:42.180Z"),
  body: deliveryBody({
    id: "5b0c9d52-8f1e-4a67-9a55-0d8f6a3f7c21",
    type: "instance.active",
    timestamp: new Date("2026-03-01T12:00:42.000Z"),
    data: { instance_id: sample.id, name: "training", state: "active" },
  }),
  log: [{ at: "2026-03-01T12:00:42.180Z", status_code: 204, milliseconds: 63, error: null, answer: "" }],
};

/** For the document. */
export const examples = {
  request: { url: sampleWebhook.url, description: "Billing", event_types: ["instance.*"] },
  listed: webhook(sampleWebhook),
  off: webhook({ ...sampleWebhook, active: false }),
  made: madeWebhook({ ...sampleWebhook, secret }),
  rotated: madeWebhook({ ...sampleWebhook, secret, previousSecretUntil: new Date("2026-03-02T12:00:00.000Z") }),
  delivery: deliveryView(sampleDelivery),
  inFull: deliveryInFull(sampleDelivery),
  waiting: deliveryView({
    ...sampleDelivery,
    status: "pending",
    asked: true,
    nextAttemptAt: new Date("2026-03-01T12:05:00.000Z"),
    finishedAt: null,
  }),
};
