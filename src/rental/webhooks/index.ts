// Webhooks and their deliveries: what other rooms may use.

export { type AddressRule, addressRule } from "./address-rule.ts";
export { type AttemptError, attemptErrors } from "./attempt-errors.ts";
export * from "./delivery.ts";
export { disableFailing, disableWebhook } from "./disable.ts";
export { openSecrets, previousSecretContext, secretContext, secretPrefix } from "./secret.ts";
export { defaultWebhookSettings, type WebhookSettings } from "./settings.ts";
export { bareHost } from "./target.ts";
export { type DisabledReason, type Webhook, webhookEvent } from "./webhook.ts";
export {
  changeWebhook,
  createWebhook,
  defaultOverlapSeconds,
  deleteWebhook,
  listWebhooks,
  longestOverlapSeconds,
  readWebhook,
  rotateSecret,
  type WebhookChange,
  type WebhookOrder,
  type WithSecret,
} from "./webhook-store.ts";
