// How a cluster is reached: its addresses, and the certificate files. The engine reads their contents; here it is only
// checked at start that they are readable. Used by engines/incus/settings/settings.ts.

import { resolve } from "node:path";
import { ConfigError } from "../../../settings/error.ts";
import type { Called } from "../../../settings/setting-path.ts";
import { readable } from "../../settings/readable-file.ts";
import type { IncusFileSettings } from "./schema.ts";

export type IncusEndpoint =
  | { readonly kind: "unix"; readonly path: string }
  /** Scheme, host and port only. */
  | { readonly kind: "https"; readonly url: string };

export interface IncusTls {
  /** Our client certificate in PEM; an absolute path. */
  readonly certificate: string;
  /** An absolute path. The content is SECRET. */
  readonly key: string;
  /** `sha256`: of the server's certificate, 64 hex digits in lower case. `path`: absolute. */
  readonly trust:
    | { readonly kind: "fingerprint"; readonly sha256: string }
    | { readonly kind: "ca"; readonly path: string };
}

/** In the order of the file. Throws ConfigError. */
export function resolveEndpoints(urls: readonly string[], called: Called): IncusEndpoint[] {
  return urls.map((url, index) => {
    const endpoint = socketOf(url) ?? serverOf(url);
    if (endpoint !== undefined) return endpoint;
    throw new ConfigError(
      `${called("urls", index)} must be https://host:port with nothing after it (8443 where no port is given), ` +
        "or unix:// and the absolute path of a socket, at most 107 bytes long.",
    );
  });
}

/** Undefined if no URL needs it. Throws ConfigError. */
export function resolveTls(
  settings: IncusFileSettings["tls"],
  endpoints: readonly IncusEndpoint[],
  called: Called,
  directory: string,
): IncusTls | undefined {
  const needed = endpoints.some(({ kind }) => kind === "https");
  if (!needed && settings === undefined) return undefined;
  if (!needed)
    throw new ConfigError(`${called("tls")} must not be set: all urls are Unix sockets, which do not use TLS.`);
  if (settings === undefined) {
    throw new ConfigError(`${called("tls")} is required for https:// urls: certificate, key, and fingerprint or ca.`);
  }
  const { certificate, key, fingerprint, ca } = settings;
  if ((fingerprint === undefined) === (ca === undefined)) {
    throw new ConfigError(
      `${called("tls")} must have either fingerprint (of the server's certificate) or ca (the certificate of a CA).`,
    );
  }
  const file = (path: string, setting: string) => readable(resolve(directory, path), called("tls", setting));
  return {
    certificate: file(certificate, "certificate"),
    key: file(key, "key"),
    trust:
      fingerprint === undefined
        ? { kind: "ca", path: file(ca ?? "", "ca") }
        : { kind: "fingerprint", sha256: fingerprint.replaceAll(":", "").toLowerCase() },
  };
}

/** Linux limits a socket's path to 107 bytes, and fails with EINVAL beyond. */
function socketOf(url: string): IncusEndpoint | undefined {
  const path = /^unix:\/\/(\/[^\0]+)$/.exec(url)?.[1];
  return path === undefined || Buffer.byteLength(path) > 107 ? undefined : { kind: "unix", path };
}

/** The default port is 8443, as in the clusters' own clients, and not 443. */
function serverOf(text: string): IncusEndpoint | undefined {
  const port = /^https:\/\/[^\s/?#@\\]+?(:\d+)?\/?$/i.exec(text);
  if (port === null || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return { kind: "https", url: `https://${url.hostname}:${port[1] === undefined ? "8443" : url.port || "443"}` };
}
