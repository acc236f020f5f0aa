// The settings of webhooks (lessor.yaml `webhooks`): schema, defaults and parsed form.
// Used by config.ts and file-schema.ts.

import { type Static, Type } from "typebox";
import { isAddress, isNetwork } from "../settings/addresses.ts";
import { ConfigError } from "../settings/error.ts";
import { group, integer, number, onOff } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";

export interface WebhookSettings {
  /** Whether http:// targets are allowed. Off. */
  readonly allowHttp: boolean;
  /** Whether delivery to loopback, private and other non-public addresses is allowed. Off. */
  readonly allowPrivateTargets: boolean;
  /**
   * Networks that are never delivered to, even if private targets are allowed: in CIDR notation, or "default" for the
   * platform addresses of public clouds (rental/webhooks/platform-networks.ts). Absent: the default.
   */
  readonly deniedNetworks?: readonly string[];
  /** A webhook is disabled after this time without a success. A day. */
  readonly disableAfterSeconds: number;
  /** The maximum for each account. 20. */
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
