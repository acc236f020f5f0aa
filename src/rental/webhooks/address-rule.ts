// Which addresses may be delivered to: those of the public internet and nothing else, so that no customer reaches through
// this service what only this service can reach; and none of the networks that the operator denies, whatever else is
// allowed. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4, Teredo) is refused with the block that it is in, and
// denied as the IPv4 address it is. Source: decisions, Events (no delivery to private or loopback addresses).
// Used when a webhook is set (a literal address in its URL), and by reconciler/deliveries for the address connected to.

import ipaddr from "ipaddr.js";
import { cloudPlatformNetworks } from "./platform-networks.ts";
import type { WebhookSettings } from "./settings.ts";

const byDefault = "default";

/** Whether an IP address, in its plain form, may be delivered to. What is no address may not. */
export type AddressRule = (address: string) => boolean;

/**
 * The rule of these settings. Without denied networks, and for "default" among them, the platform addresses of public
 * clouds. Throws for a denied network that is none.
 */
export function addressRule(settings: Pick<WebhookSettings, "allowPrivateTargets" | "deniedNetworks">): AddressRule {
  const denied = (settings.deniedNetworks ?? [byDefault])
    .flatMap((network) => (network === byDefault ? cloudPlatformNetworks : network))
    .map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = parsePlain(address);
    if (parsed === undefined) return false;
    const forms = [parsed, ...embedded(parsed)];
    if (denied.some(([base, bits]) => forms.some((one) => one.kind() === base.kind() && one.match(base, bits)))) {
      return false;
    }
    return settings.allowPrivateTargets || isPublic(parsed);
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The one block of IPv6 that public addresses are from (RFC 4291, section 2.4, and IANA's registry). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
/** Special-purpose by IANA's registries, and ordinary for the library. */
const special = [
  "192.88.99.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.175.48.0/24",
  "2001::/23",
  "2620:4f:8000::/48",
  "3fff::/20",
].map((network) => ipaddr.parseCIDR(network));

function parsePlain(address: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (special.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits))) return false;
  // The library takes whatever is in none of its lists for unicast, also ::127.0.0.1.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

/** The IPv4 address that packets to this IPv6 one are for, where there is one. */
function embedded(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const at = { ipv4Mapped: 12, rfc6145: 12, rfc6052: 12, "6to4": 2 }[address.range() as string];
  return at === undefined ? [] : [new ipaddr.IPv4(bytes.slice(at, at + 4))];
}
