// Under which name, and by which protocol, a browser asked: what a request's own origin is. Without trusted proxies that is
// its Host header and http, whatever another header says. A trusted proxy says it by X-Forwarded-Proto and, where it changes
// the Host header, by X-Forwarded-Host; where several write one list, the one that the client spoke to counts, as it does
// for addresses (client-address.ts). Used by auth/ and console/.

import type { IncomingMessage } from "node:http";
import { createProxyCount } from "./client-address.ts";

export interface OwnOrigin {
  /** Name and port as a URL has them; undefined where the request does not say it. */
  readonly host: string | undefined;
  /** The client came by https. */
  readonly secure: boolean;
}

export type OwnOriginOf = (request: Pick<IncomingMessage, "headers" | "socket">) => OwnOrigin;

/** `trustedProxies`: addresses and networks, as the settings have checked them. */
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
 * Whether an Origin header names this origin. A page by http is another origin than one by https; but where no trusted
 * proxy says which it was, https may have ended at one that nobody told us of.
 */
export function isOwn(origin: string, own: OwnOrigin): boolean {
  const isSecure = origin.startsWith("https://");
  if (own.host === undefined || (own.secure && !isSecure)) return false;
  return hostIn(origin) === (isSecure && !own.secure ? hostIn(`https://${own.host}`) : own.host);
}

/** Of a list that proxies add to on the right: what the outermost of so many wrote. */
function writtenBy(proxies: number, header: string | readonly string[] | undefined): string | undefined {
  const values = header === undefined ? [] : String(header).split(",");
  return values[Math.max(0, values.length - proxies)]?.trim();
}

/** Undefined for what is no origin. */
function hostIn(origin: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\]+$/.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).host;
}
