// One connection to the cluster: a Unix socket, or HTTPS with a client certificate. Used by client.ts.
//
// Invariant: over HTTPS nothing of a request is sent before the server is authenticated, by a CA or by the SHA-256 of
// its certificate, which is how self-signed clusters are pinned.

import { readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { Agent, buildConnector } from "undici";
import { type Expiry, expiriesOf } from "../../tls-certificates.ts";
import type { IncusEndpoint } from "../settings/connection.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { NotConnected } from "./api-error.ts";

export interface Endpoint {
  /** For operators. */
  readonly name: string;
  /** For URLs, without a trailing slash. For a Unix socket, the host is a placeholder. */
  readonly origin: string;
  readonly agent: Agent;
  line(): Line;
  /** When the certificates of its last connection expire; none for a Unix socket. */
  certificates(): readonly Expiry[];
}

/** An agent for one connection that can be cut: a server might ignore a closed session, or be gone. */
export interface Line {
  readonly agent: Agent;
  cut(): void;
}

/** Throws what reading the certificate files throws. */
export function openEndpoint(endpoint: IncusEndpoint, tls: IncusSettings["tls"]): Endpoint {
  if (endpoint.kind === "unix") {
    return endpointWith(endpoint.path, "http://localhost", buildConnector({ socketPath: endpoint.path }));
  }
  if (tls === undefined) throw new Error("BUG: an HTTPS endpoint without a certificate");
  // HTTP/1.1 only: Go servers prefer HTTP/2, over which they offer no WebSockets.
  const own = { cert: readFileSync(tls.certificate), key: readFileSync(tls.key), allowH2: false };
  const { trust } = tls;
  const connect =
    trust.kind === "ca"
      ? buildConnector({ ...own, ca: readFileSync(trust.path) })
      : // No session reuse: a resumed TLS session shows no certificate.
        pinned(buildConnector({ ...own, rejectUnauthorized: false, maxCachedSessions: 0 }), trust.sha256);
  return endpointWith(endpoint.url, endpoint.url, connect);
}

function endpointWith(name: string, origin: string, connect: buildConnector.connector): Endpoint {
  let certificates: readonly Expiry[] = [];
  const noting: buildConnector.connector = (options, callback) =>
    connect(options, (...answer) => {
      const [error, socket] = answer;
      if (error === null) certificates = expiriesOf(socket);
      callback(...answer);
    });
  return {
    name,
    origin,
    agent: agentWith(noting),
    line: () => lineWith(connect),
    certificates: () => certificates,
  };
}

function lineWith(connect: buildConnector.connector): Line {
  let connection: { destroy(): unknown } | undefined;
  const agent = agentWith((options, callback) =>
    connect(options, (...answer) => {
      const [error, socket] = answer;
      if (error === null) connection = socket;
      callback(...answer);
    }),
  );
  return {
    agent,
    cut: () => {
      connection?.destroy();
      void agent.destroy();
    },
  };
}

/** Marks connection failures, so that callers know that nothing was sent. */
function agentWith(connect: buildConnector.connector): Agent {
  return new Agent({
    allowH2: false,
    connect: (options, callback) =>
      connect(options, (...answer) => {
        const [error] = answer;
        if (error === null) callback(...answer);
        else
          callback(
            new NotConnected(error.message || `${"code" in error ? error.code : error}`, { cause: error }),
            null,
          );
      }),
  });
}

/** A connector that returns a connection only if the server's certificate has this SHA-256. */
function pinned(connect: buildConnector.connector, sha256: string): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...answer) => {
      const [error, socket] = answer;
      if (error !== null) return callback(error, null);
      const shown = fingerprintOf(socket);
      if (shown === sha256) return callback(null, socket);
      socket.destroy();
      callback(
        new Error(`the server's certificate has another fingerprint than the one that is trusted: ${shown}`),
        null,
      );
    });
  };
}

function fingerprintOf(socket: object): string {
  if (!("getPeerX509Certificate" in socket)) return "no TLS";
  // A socket that has this method is a TLSSocket; undici's type only says Socket.
  const certificate = (socket as TLSSocket).getPeerX509Certificate();
  return (certificate?.fingerprint256 ?? "none").replaceAll(":", "").toLowerCase();
}
