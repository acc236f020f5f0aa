// How webhooks are set (lessor.yaml `webhooks`). Handed to the rental in Service, and to the reconciler in its settings.

export interface WebhookSettings {
  /** Whether http:// targets are taken. False. */
  readonly allowHttp: boolean;
  /** Whether loopback, private and other addresses that are not public are delivered to. False. */
  readonly allowPrivateTargets: boolean;
  /** Networks that are never delivered to, also where private targets are allowed (address-rule.ts); absent: the default. */
  readonly deniedNetworks?: readonly string[];
  /** After so long without any success a webhook is switched off, in seconds. A day. */
  readonly disableAfterSeconds: number;
  /** How many an account may have. 20. */
  readonly perAccount: number;
}

export const defaultWebhookSettings: WebhookSettings = {
  allowHttp: false,
  allowPrivateTargets: false,
  disableAfterSeconds: 86_400,
  perAccount: 20,
};
