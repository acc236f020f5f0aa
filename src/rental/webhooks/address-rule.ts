// Which addresses may be delivered to: those of the public internet and nothing else, so that no customer reaches through
// this service what only this service can reach. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4, Teredo) is
// refused with the block that it is in. Source: decisions, Events (no delivery to private or loopback addresses).
// Used when a webhook is set (a literal address in its URL), and by fulfilment/deliveries for the address connected to.

import ipaddr from "ipaddr.js";

/** The one block of IPv6 that public addresses are from (RFC 4291, section 2.4, and IANA's registry). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether it is an IP address, in its plain form, of the public internet. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).range() === "unicast";
  if (!ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  // The library takes whatever is in none of its lists for unicast, also ::127.0.0.1.
  return parsed.range() === "unicast" && parsed.match(globalUnicast);
}
