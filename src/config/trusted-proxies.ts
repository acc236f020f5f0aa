// The proxies whose word for who a client is counts: `trusted_proxies` of lessor.yaml, addresses and networks.
// Invariant: no error repeats a value. Used by config.ts; http/edge/client-address.ts
// reads the addresses. What is an address or a network is used by incus.ts too.

import ipaddr from "ipaddr.js";
import { ConfigError } from "./error.ts";
import { settingIn } from "./setting-path.ts";

/** The list as it is, checked; none by default. Throws ConfigError. */
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

/** IPv4 in four decimal parts: 10.1 and 0x0a000001 are addresses to some programs, and never what was meant. */
export function isAddress(text: string): boolean {
  if (!text.includes(":")) return ipaddr.IPv4.isValidFourPartDecimal(text);
  return ipaddr.IPv6.isValid(text) && !text.includes("%") && !ipaddr.IPv6.parse(text).isIPv4MappedAddress();
}

/** In CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !isAddress(address) || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(":") ? 128 : 32);
}
