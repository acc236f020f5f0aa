// A request's own origin: the host name and protocol that the browser used. Without trusted proxies that is its Host
// header and http, whatever another header says. A trusted proxy states it in X-Forwarded-Proto and, if it changes the
// Host header, in X-Forwarded-Host; if several proxies write one list, the entry of the outermost trusted one counts,
// as for addresses (client-address.ts). Used by auth/ and console/.

import type { IncomingMessage } from "node:http";
import { createProxyCount } from "./client-address.ts";

export interface OwnOrigin {
  /** Name and port as in a URL; undefined if the request does not say it. */
  readonly host: string | undefined;
  /** The client used https. */
  readonly secure: boolean;
}

export type OwnOriginOf = (request: Pick<IncomingMessage, "headers" | "socket">) => OwnOrigin;

/** `trustedProxies`: addresses and networks, as validated by the settings. */
export function createOwnOrigin(trustedProxies: readonly string[]): OwnOriginOf {
  const proxyCount = createProxyCount(trustedProxies);
  return (request) => {
    const { headers } = request;
    const proxies = proxyCount(request);
    const secure = proxies > 0 && writtenBy(proxies, headers["x-forwarded-proto"])?.toLowerCase() === "https";
    const host = (proxies > 0 ? writtenBy(proxies, headers["x-forwarded-host"]) : undefined) ?? headers.host;
    return { host: host === undefined ? undefined : hostIn(`${secure ? "https" : "http"}://${host}`), secure };
  };
}

/**
 * Whether an Origin header names this origin. http and https are different origins; but if no trusted proxy states the
 * protocol, an unknown proxy may have terminated https.
 */
export function isOwn(origin: string, own: OwnOrigin): boolean {
  const isSecure = origin.startsWith("https://");
  if (own.host === undefined || (own.secure && !isSecure)) return false;
  return hostIn(origin) === (isSecure && !own.secure ? hostIn(`https://${own.host}`) : own.host);
}

/** Of a list that proxies append to: the entry of the outermost of this many. */
function writtenBy(proxies: number, header: string | readonly string[] | undefined): string | undefined {
  const values = header === undefined ? [] : String(header).split(",");
  return values[Math.max(0, values.length - proxies)]?.trim();
}

/** Undefined for anything but an origin. */
function hostIn(origin: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\]+$/.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).host;
}
