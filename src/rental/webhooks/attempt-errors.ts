// Why an attempt to deliver failed. Used by delivery.ts, webhook.ts and reconciler/deliveries.

/** Reasons that reveal nothing about this service's network. */
export const attemptErrors = [
  "status",
  "redirect",
  "gone",
  "target_refused",
  "name_not_found",
  "connection_refused",
  "connection_failed",
  "tls",
  "timeout",
  "invalid_answer",
] as const;
export type AttemptError = (typeof attemptErrors)[number];
