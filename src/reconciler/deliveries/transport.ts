// The way out for deliveries: no proxy, no redirect, a new connection for each attempt, and every connection is judged by
// the address it is made to. Invariant: no connection is made to an address that the operator denies or, unless private
// targets are allowed, that is not public, and no byte of a request is sent to one: not for a literal in any form, not for a name that meant something
// else a moment ago. The addresses that the judge saw are those that are connected to; there is no second look-up.
//
// Invariant: nothing is left of an attempt that was given up, also not a connection that is still being made. undici ends
// those only when they have been made, which to an address that never answers is minutes later; so the signal is the
// socket's own.
//
// Names are asked of the name servers by this process itself (c-ares), not by the C library: its look-ups share a few
// threads with the whole program, and one customer's slow name server would keep everybody waiting. That way nothing but
// DNS is read, no hosts file; where private targets are allowed the C library is asked, which knows that too.

import { ADDRCONFIG, promises as dns, Resolver } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { buildConnector, Client, type Dispatcher } from "undici";
import { addressRule, bareHost, type WebhookSettings } from "../../rental/webhooks/index.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** What a name means now. Throws what a look-up throws. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** An address that is not delivered to. */
export class TargetRefused extends Error {
  readonly code = "TARGET_REFUSED";

  constructor() {
    super("the target is not on the public internet");
    this.name = "TargetRefused";
  }
}

export interface Transport {
  /**
   * A connection for one attempt, made when something is sent to `url`. Whoever asked for it destroys it; `signal` ends
   * it wherever it is.
   */
  connection(url: string, signal: AbortSignal): Dispatcher;
  /** Gives look-ups under way up: name servers that do not answer would keep the process from ending. */
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

  /** All that a name means must be public: one that mixes both is up to something. */
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
      // No look-up is made for a literal.
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
