// How webhooks are set (lessor.yaml `webhooks`). Handed to the rental in Service, and to fulfilment in its settings.

export interface WebhookSettings {
  /** Whether http:// targets are taken. False. */
  readonly allowHttp: boolean;
  /** Whether loopback, private and other addresses that are not public are delivered to. False. */
  readonly allowPrivateTargets: boolean;
  /** After so long without any success a webhook is switched off, in seconds. 5 days. */
  readonly disableAfterSeconds: number;
  /** How many an account may have. 20. */
  readonly perAccount: number;
}

export const defaultWebhookSettings: WebhookSettings = {
  allowHttp: false,
  allowPrivateTargets: false,
  disableAfterSeconds: 5 * 86_400,
  perAccount: 20,
};
