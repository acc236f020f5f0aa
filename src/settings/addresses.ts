// Validates IP addresses and networks in the settings. Used by config/trusted-proxies.ts, config/webhooks.ts and
// engines/settings/common.ts.

import ipaddr from "ipaddr.js";

/** IPv4 in four decimal parts: some programs accept 10.1 and 0x0a000001, which are always mistakes. */
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
