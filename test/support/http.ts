// The HTTP room on real ports, over a World (world.ts): for tests of the interfaces from the outside.
//
//   const http = await startHttp(world);                       // in beforeAll; http.close() in afterAll
//   const { token, principal } = await http.customer();
//   const { status, body } = await http.call("POST", `${http.marketplace}/ssh-keys`, { token, body: {…} });

import type { DestinationStream } from "pino";
import { type Dispatcher, request } from "undici";
import { compose } from "../../src/composition.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import type { Database } from "../../src/database/connect.ts";
import { type HttpParts, variants } from "../../src/http/server.ts";
import { createLog } from "../../src/log.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import type { Principal, Scope } from "../../src/rental/service.ts";
import type { CompatibilityVersion } from "../../src/rules/compatibility-versions.ts";
import { forOneAddress } from "./limits.ts";
import type { World } from "./world.ts";

export interface CallOptions {
  readonly token?: string | undefined;
  /** Sent as JSON, unless it is text or bytes already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined where there is none, or none in JSON. */
  readonly body: unknown;
}

export type RunningHttp = Awaited<ReturnType<typeof startHttp>>;

/** As by default, but on free ports. `config` changes that, `log` gets the log's lines, `db` replaces the world's. */
export async function startHttp(
  world: World,
  parts: Omit<Partial<HttpParts>, "config" | "log" | "db"> & {
    config?: Partial<Config>;
    log?: DestinationStream;
    db?: Database;
  } = {},
) {
  const defaults = loadConfig({ env: { LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0" }, cwd: import.meta.dirname });
  const config = { ...defaults, limits: forOneAddress(defaults.limits), ...parts.config };
  const log = createLog(parts.log === undefined ? "silent" : "info", parts.log);
  const { config: _config, log: _log, db = world.db, ...given } = parts;
  const { url: databaseUrl, service } = world;
  const { http, readiness } = await compose(
    { config, log, databaseUrl, keyRing: service.keyRing, keyFile: undefined, reserve: undefined },
    {
      db,
      engines: [],
      service,
      http: {
        storage: { isFull: false },
        // The built console of this checkout, if there is one, is no part of any test but its own.
        consoleDirectory: "/nonexistent",
        drainSeconds: 5,
        idleGraceSeconds: 0,
        ...given,
      },
    },
  );
  readiness.state = "ready";
  const addresses = await http.listen();
  const main = addresses.get("main") ?? "";
  return {
    main,
    addresses,
    config,
    readiness,
    marketplace: `${main}/api/vm_marketplace`,
    direct: `${main}/api/v1`,
    control: `${main}/control/v1`,
    /** The reference interface at the root of its own port. */
    reference: addresses.get("reference") ?? "",
    lambda: `${addresses.get("reference") ?? ""}/api/v1`,
    close: () => http.close(),
    call,

    /** A new account (or the given one) with a token for it. */
    async customer(spec: { scopes?: readonly Scope[]; principal?: Principal; pinnedTo?: CompatibilityVersion } = {}) {
      const principal = spec.principal ?? (await world.account());
      const scopes = spec.scopes ?? ["read", "write"];
      const made = await world.tx((tx) =>
        createToken(tx, {
          accountId: principal.accountId,
          name: world.fresh("token"),
          scopes,
          expiresAt: null,
          compatibilityVersion: spec.pinnedTo ?? null,
        }),
      );
      return { principal: { ...principal, tokenId: made.id }, token: made.token, tokenId: made.id };
    },
  };
}

export { variants };

/** What fetch says of itself: the service is asked as by it. */
const fromFetch = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" } as const;

/** One request, answered whatever its status. By undici without fetch, which takes three times as long around it. */
export async function call(method: string, url: string, options: CallOptions = {}): Promise<CallResult> {
  const { token, body, headers = {} } = options;
  const sent = body === undefined ? null : payload(body);
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const usual = {
    ...fromFetch,
    ...(typeof sent === "string" && { "content-type": "text/plain;charset=UTF-8" }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...Object.fromEntries(Object.entries(usual).filter(([name]) => !given.has(name))), ...headers },
    body: sent,
  });
  const received = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of typeof value === "object" ? value : [value ?? ""]) received.append(name, one);
  }
  // A stream has no end: its beginning is its answer.
  if (received.get("content-type")?.startsWith("text/event-stream")) {
    response.body.on("error", () => {}).destroy();
    return { status: response.statusCode, headers: received, text: "", body: undefined };
  }
  const text = await response.body.text();
  return { status: response.statusCode, headers: received, text, body: parsed(text) };
}

function payload(body: unknown): string | Uint8Array {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
