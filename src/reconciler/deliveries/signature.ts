// The headers that prove a delivery, exactly as Standard Webhooks 1.0.0 has them: the event's id, the moment of this
// attempt, and one signature for each secret, so that a receiver may know the former or the new one during a rotation.

import { Webhook } from "standardwebhooks";

/** `secrets`: whsec_…, the newest first. */
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
