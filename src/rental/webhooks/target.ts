// Validates a webhook's target: an https URL without credentials. A literal address is checked at once in any notation,
// because the URL parser normalizes all forms of IPv4 (decimal, octal, hexadecimal, short). A name is checked at each
// connection (reconciler/deliveries/transport.ts), because its address can change. Names that are never public are
// rejected at once: localhost (RFC 6761) and those under .local (RFC 6762).

import { isIP } from "node:net";
import { invalid } from "../errors.ts";
import { addressRule } from "./address-rule.ts";
import type { WebhookSettings } from "./settings.ts";

const longest = 2048;

/** The URL in its normal form. Throws RentalError invalid-parameters for `url`, without repeating it. */
export function parseTarget(text: string, settings: WebhookSettings): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid("url", "Use a complete URL such as https://example.com/hooks.");
  const protocols = settings.allowHttp ? ["https:", "http:"] : ["https:"];
  if (!protocols.includes(url.protocol)) {
    throw invalid("url", `Only ${protocols.map((one) => `${one}//`).join(" and ")} URLs are supported.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("url", "Remove the user name and password: the signature authenticates deliveries.");
  }
  if (url.hash !== "") throw invalid("url", "Remove the part after #: it is never sent.");
  url.hash = ""; // a # with nothing behind it
  if (url.port === "0") throw invalid("url", "Use a port from 1 to 65535, or none.");
  if (url.href.length > longest) throw invalid("url", `Must be at most ${longest} characters.`);
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0 && !addressRule(settings)(host)) {
    throw invalid("url", "Must be a public internet address.");
  }
  if (isLocalName(host) && !settings.allowPrivateTargets) {
    throw invalid("url", "Must be a public internet host name.");
  }
  return url.href;
}

/** Lower case from the URL parser; ignores a trailing dot. */
function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local)\.*$/.test(host);
}

/** A URL's host without the brackets of IPv6. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
