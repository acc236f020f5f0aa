// The settings of webhooks (lessor.yaml `webhooks`): their schema, their defaults, and what they are to the program.
// Used by config.ts and file-schema.ts.

import { type Static, Type } from "typebox";
import { isAddress, isNetwork } from "../settings/addresses.ts";
import { ConfigError } from "../settings/error.ts";
import { group, integer, number, onOff } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";

export interface WebhookSettings {
  /** Whether http:// targets are taken. Off. */
  readonly allowHttp: boolean;
  /** Whether loopback, private and other addresses that are not public are delivered to. Off. */
  readonly allowPrivateTargets: boolean;
  /**
   * Networks that are never delivered to, also where private targets are allowed: in CIDR notation, or "default" for the
   * platform addresses of public clouds (rental/webhooks/platform-networks.ts). Absent: the default.
   */
  readonly deniedNetworks?: readonly string[];
  /** After so long without any success a webhook is switched off. A day. */
  readonly disableAfterSeconds: number;
  /** How many an account may have. 20. */
  readonly perAccount: number;
}

export const WebhooksSchema = Type.Optional(
  group({
    allow_http: onOff(),
    allow_private_targets: onOff(),
    denied_networks: Type.Optional(
      Type.Array(Type.String(), { description: "a list of IP addresses and networks, each in quotes" }),
    ),
    disable_after_days: number(0.01, 365),
    per_account: integer(0, 10_000),
  }),
);

/** Throws ConfigError. */
export function resolveWebhooks(
  settings: Static<typeof WebhooksSchema> | undefined,
  fileName: string,
): WebhookSettings {
  const denied = settings?.denied_networks?.map((text, index) => networkOf(text, index, fileName));
  return {
    allowHttp: settings?.allow_http ?? false,
    allowPrivateTargets: settings?.allow_private_targets ?? false,
    ...(denied !== undefined && { deniedNetworks: denied }),
    disableAfterSeconds: (settings?.disable_after_days ?? 1) * 86_400,
    perAccount: settings?.per_account ?? 20,
  };
}

/** In CIDR notation. */
function networkOf(text: string, index: number, fileName: string): string {
  if (text === "default" || isNetwork(text)) return text;
  if (isAddress(text)) return `${text}/${text.includes(":") ? 128 : 32}`;
  throw new ConfigError(
    `${settingIn(["webhooks", "denied_networks", index], fileName)} must be an IP address such as 203.0.113.7, a network ` +
      'such as 203.0.113.0/24 or 2001:db8::/32, or "default".',
  );
}
