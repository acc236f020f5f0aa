// The headers that sign a delivery, as Standard Webhooks 1.0.0 defines them: the event's id, the time of this attempt,
// and one signature per secret, so that receivers can verify with either secret during a rotation.

import { Webhook } from "standardwebhooks";

/** `secrets`: whsec_…, newest first. */
export function signatureHeaders(
  secrets: readonly string[],
  eventId: string,
  at: Date,
  body: string,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(" "),
  };
}
