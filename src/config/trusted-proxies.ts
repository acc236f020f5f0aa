// The proxies trusted to report a client's address: `trusted_proxies` of lessor.yaml, addresses and networks.
// Invariant: no error repeats a value. Used by config.ts; http/edge/client-address.ts reads the addresses.

import { isAddress, isNetwork } from "../settings/addresses.ts";
import { ConfigError } from "../settings/error.ts";
import { settingIn } from "../settings/setting-path.ts";

/** The validated list; empty by default. Throws ConfigError. */
export function resolveTrustedProxies(settings: readonly string[] | undefined, fileName: string): readonly string[] {
  for (const [index, text] of (settings ?? []).entries()) {
    if (isAddress(text) || isNetwork(text)) continue;
    throw new ConfigError(
      `${settingIn(["trusted_proxies", index], fileName)} must be an IP address such as 10.0.0.7, or a network such as ` +
        "10.0.0.0/8 or 2001:db8::/32 (IPv4 addresses are not written as ::ffff:10.0.0.7).",
    );
  }
  return settings ?? [];
}
