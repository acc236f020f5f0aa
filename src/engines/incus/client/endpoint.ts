// One way to the cluster: a Unix socket, or HTTPS with a client certificate. Used by client.ts.
//
// Invariant: over HTTPS not a byte of a request leaves before the server has proved who it is: by a CA, or by the
// SHA-256 of its certificate, which is how clusters with a self-signed certificate are pinned.

import { readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { Agent, buildConnector } from "undici";
import type { IncusEndpoint } from "../settings/connection.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { NotConnected } from "./api-error.ts";

export interface Endpoint {
  /** As operators read it. */
  readonly name: string;
  /** For URLs, without a slash at the end. Of a Unix socket the host is only for show. */
  readonly origin: string;
  /** For requests. */
  readonly agent: Agent;
  /** For one WebSocket. */
  line(): Line;
}

/** An agent for one connection, which can be cut: a server may go on with a session that was closed, or be gone. */
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
  // HTTP/1.1 only: servers that may choose take HTTP/2 (Go's do), and there are no WebSockets on theirs.
  const own = { cert: readFileSync(tls.certificate), key: readFileSync(tls.key), allowH2: false };
  const { trust } = tls;
  const connect =
    trust.kind === "ca"
      ? buildConnector({ ...own, ca: readFileSync(trust.path) })
      : // Each connection shows the certificate anew: one that resumes a TLS session shows none.
        pinned(buildConnector({ ...own, rejectUnauthorized: false, maxCachedSessions: 0 }), trust.sha256);
  return endpointWith(endpoint.url, endpoint.url, connect);
}

function endpointWith(name: string, origin: string, connect: buildConnector.connector): Endpoint {
  return { name, origin, agent: agentWith(connect), line: () => lineWith(connect) };
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

/** Says of a failure to connect that it is one, so that whoever asked knows that nothing has left. */
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

/** A connector that gives a connection out only when the server showed the certificate with this SHA-256. */
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
