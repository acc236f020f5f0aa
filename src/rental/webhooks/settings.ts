// Settings of webhooks (lessor.yaml `webhooks`). Passed to the rental in Service, and to the reconciler in its
// settings.

export interface WebhookSettings {
  /** Whether http:// targets are allowed. False. */
  readonly allowHttp: boolean;
  /** Whether loopback, private and other non-public addresses are allowed. False. */
  readonly allowPrivateTargets: boolean;
  /** Networks that are never delivered to, even with private targets allowed (address-rule.ts); absent: the default. */
  readonly deniedNetworks?: readonly string[];
  /** A webhook is disabled after this time without success, in seconds. A day. */
  readonly disableAfterSeconds: number;
  /** Maximum per account. 20. */
  readonly perAccount: number;
}

export const defaultWebhookSettings: WebhookSettings = {
  allowHttp: false,
  allowPrivateTargets: false,
  disableAfterSeconds: 86_400,
  perAccount: 20,
};
