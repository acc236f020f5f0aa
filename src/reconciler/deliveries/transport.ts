// The HTTP transport of deliveries: no proxy, no redirect, one new connection per attempt.
//
// Invariant: no connection is made to an address that the operator denies or, unless private targets are allowed, that
// is not public. This holds for literals in any form and for names whose address changes: the addresses that were
// checked are those connected to, without a second lookup.
//
// Invariant: an aborted attempt leaves nothing behind, also no connection that is still being made. undici ends those
// only once they are made, which can take minutes, so the signal is passed to the socket itself.
//
// Names are resolved in this process (c-ares), not by the C library: its lookups share a few threads with the whole
// program, and one customer's slow name server would block everything. c-ares reads DNS only, no hosts file; if private
// targets are allowed, the C library is used, which reads both.

import { ADDRCONFIG, promises as dns, Resolver } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { buildConnector, Client, type Dispatcher } from "undici";
import { addressRule } from "../../rental/webhooks/address-rule.ts";
import type { WebhookSettings } from "../../rental/webhooks/settings.ts";
import { bareHost } from "../../rental/webhooks/target.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name. Throws what a lookup throws. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export class TargetRefused extends Error {
  readonly code = "TARGET_REFUSED";

  constructor() {
    super("the target is not on the public internet");
    this.name = "TargetRefused";
  }
}

export interface Transport {
  /**
   * A connection for one attempt, made when something is sent to `url`. The caller destroys it; `signal` ends it in any
   * state.
   */
  connection(url: string, signal: AbortSignal): Dispatcher;
  /** Aborts lookups in progress: name servers that do not respond would keep the process alive. */
  close(): void;
}

/** `given` and `nameServers` are parameters for tests. */
export function createTransport(
  targets: Pick<WebhookSettings, "allowPrivateTargets" | "deniedNetworks">,
  given?: Resolve,
  nameServers = new Resolver({ timeout: 3000, tries: 2 }),
): Transport {
  const resolve = given ?? (targets.allowPrivateTargets ? askSystem : askNameServers(nameServers));
  const isAllowed = addressRule(targets);

  /** All addresses of a name must be public: a mix of public and private suggests an attack. */
  const lookup: LookupFunction = (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const addresses = found.filter((one) => family === 0 || family === undefined || one.family === family);
        const [first] = addresses;
        if (found.some(({ address }) => !isAllowed(address))) callback(new TargetRefused(), "", 0);
        else if (first === undefined) callback(notFound(), "", 0);
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, "", 0),
    );
  };

  function connection(url: string, signal: AbortSignal): Dispatcher {
    const connector = buildConnector({ lookup, timeout: 0, allowH2: false, signal });
    const connect: buildConnector.connector = (options, callback) => {
      const host = bareHost(options.hostname);
      // Literals are not looked up.
      if (isIP(host) !== 0 && !isAllowed(host)) return callback(new TargetRefused(), null);
      connector(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        if (isAllowed(socket.remoteAddress ?? "")) return callback(null, socket);
        socket.destroy();
        callback(new TargetRefused(), null);
      });
    };
    return new Client(new URL(url).origin, { connect, pipelining: 0, allowH2: false, maxHeaderSize: 16_384 });
  }
  return { connection, close: () => nameServers.cancel() };
}

async function askSystem(hostname: string): Promise<readonly Address[]> {
  return dns.lookup(hostname, { all: true, hints: ADDRCONFIG });
}

function askNameServers(resolver: Resolver): Resolve {
  const resolve4 = promisify(resolver.resolve4.bind(resolver)) as (hostname: string) => Promise<string[]>;
  const resolve6 = promisify(resolver.resolve6.bind(resolver)) as (hostname: string) => Promise<string[]>;
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolve4(hostname), resolve6(hostname)]);
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0) throw four.status === "rejected" ? four.reason : notFound();
    return found;
  };
}

function notFound(): Error {
  return Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
}
