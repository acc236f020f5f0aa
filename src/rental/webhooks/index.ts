// Webhooks and their deliveries: what other rooms may use.

export { isPublicAddress } from "./address-rule.ts";
export * from "./delivery.ts";
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
