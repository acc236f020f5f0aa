// The settings of webhooks (lessor.yaml `webhooks`): their schema, their defaults, and what they are to the program.
// Used by config.ts and file-schema.ts.

import { type Static, Type } from "typebox";
import { group, integer, number, onOff } from "./schema-parts.ts";

export interface WebhookSettings {
  /** Whether http:// targets are taken. Off. */
  readonly allowHttp: boolean;
  /** Whether loopback, private and other addresses that are not public are delivered to. Off. */
  readonly allowPrivateTargets: boolean;
  /** After so long without any success a webhook is switched off. 5 days. */
  readonly disableAfterSeconds: number;
  /** How many an account may have. 20. */
  readonly perAccount: number;
}

export const WebhooksSchema = Type.Optional(
  group({
    allow_http: onOff(),
    allow_private_targets: onOff(),
    disable_after_days: number(0.01, 365),
    per_account: integer(0, 10_000),
  }),
);

export function resolveWebhooks(settings: Static<typeof WebhooksSchema> | undefined): WebhookSettings {
  return {
    allowHttp: settings?.allow_http ?? false,
    allowPrivateTargets: settings?.allow_private_targets ?? false,
    disableAfterSeconds: (settings?.disable_after_days ?? 5) * 86_400,
    perAccount: settings?.per_account ?? 20,
  };
}
