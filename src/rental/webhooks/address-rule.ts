// Which addresses webhooks can be delivered to: only the public internet, so that no customer uses this service to
// reach internal addresses; and no network that the operator denies. An IPv4 address inside an IPv6 one (mapped, NAT64,
// 6to4, Teredo) is rejected with its block, and denied like the IPv4 address. Source: decisions, Events (no delivery to
// private or loopback addresses). Used when a webhook is set (a literal address in its URL), and by
// reconciler/deliveries for the address of a connection.

import ipaddr from "ipaddr.js";
import { cloudPlatformNetworks } from "./platform-networks.ts";
import type { WebhookSettings } from "./settings.ts";

const byDefault = "default";

/** Whether an IP address in normal form can be delivered to. False for other texts. */
export type AddressRule = (address: string) => boolean;

/**
 * The rule of these settings. Without denied networks, and for "default" among them, the platform addresses of public
 * clouds. Throws for an invalid denied network.
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

/** The only block of public IPv6 addresses (RFC 4291, section 2.4, and IANA's registry). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
/** Special-purpose in IANA's registries, but not in the library. */
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
  // The library considers unlisted addresses as unicast, also ::127.0.0.1.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

/** The IPv4 destination of packets to this IPv6 address, if any. */
function embedded(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const at = { ipv4Mapped: 12, rfc6145: 12, rfc6052: 12, "6to4": 2 }[address.range() as string];
  return at === undefined ? [] : [new ipaddr.IPv4(bytes.slice(at, at + 4))];
}
