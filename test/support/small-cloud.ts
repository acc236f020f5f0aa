// A cloud of one HTTP server on loopback: Keystone, a catalog, version documents, and for the rest what a test says. For
// the tests of OpenStack's client, which are about requests and not about what a cloud does.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Client } from "../../src/engines/openstack/client/client.ts";
import type { CloudAccess } from "../../src/engines/openstack/settings/clouds-file.ts";
import { afterTest } from "./when-over.ts";

export interface CloudRequest {
  readonly method: string;
  /** Such as /compute/v2.1/servers. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface CloudReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  /** "drop": the connection breaks. "silence": nothing ever comes. */
  readonly instead?: "drop" | "silence";
}

type Answer = CloudReply | ((request: CloudRequest) => CloudReply);

export const cloudCredential: CloudAccess["credential"] = {
  kind: "password",
  user: { name: "lessor", domain: { id: "default" } },
  password: "hunter2-password",
  project: { id: "p1" },
};

export class SmallCloud {
  readonly url: string;
  readonly requests: CloudRequest[] = [];
  readonly catalog: object[];
  /** Of the tokens it gives, in seconds. */
  tokenLifetime = 3600;
  /** How many seconds its clock is ahead. */
  clockSkew = 0;
  #tokens = 0;
  #rules: { method: string; path: RegExp; answer: Answer; times: number }[] = [];

  constructor(url: string) {
    this.url = url;
    const one = (type: string, path: string) => ({
      type,
      endpoints: [{ interface: "public", region: "One", url: `${url}${path}` }],
    });
    this.catalog = [
      one("compute", "/compute/v2.1"),
      one("network", "/network"),
      one("image", "/image"),
      one("placement", "/placement"),
      one("block-storage", "/volume"),
    ];
    this.answer("GET", /^\/compute\/v2\.1\/$/, { body: { version: { min_version: "2.1", version: "2.93" } } });
    this.answer("GET", /^\/placement\/$/, { body: { versions: [{ min_version: "1.0", max_version: "1.39" }] } });
    this.answer("GET", /^\/volume\/v3\/$/, { body: { versions: [{ min_version: "3.0", version: "3.70" }] } });
    this.answer("POST", /^\/v3\/auth\/tokens$/, () => this.#token());
  }

  /** The newest answer for a request counts. */
  answer(method: string, path: RegExp, answer: Answer, times = Number.POSITIVE_INFINITY): void {
    this.#rules.unshift({ method, path, answer, times });
  }

  /** The requests so far, without those for tokens and versions. */
  get seen(): readonly CloudRequest[] {
    return this.requests.filter(({ path }) => !/\/auth\/tokens$|\/$/.test(path));
  }

  get authentications(): readonly CloudRequest[] {
    return this.requests.filter(({ path }) => path === "/v3/auth/tokens");
  }

  access(change: Partial<CloudAccess> = {}): CloudAccess {
    const rest = { region: undefined, interface: "public", ca: undefined, certificate: undefined } as const;
    return { authUrl: `${this.url}/v3`, credential: cloudCredential, ...rest, ...change };
  }

  /** A client, closed after the test. */
  client(change: Partial<CloudAccess> = {}, now?: () => number): Client {
    const client = new Client(this.access(change), now);
    afterTest(() => client.close());
    return client;
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    const { method = "", headers } = request;
    const seen = { method, path: pathname, query: searchParams, headers, body: await buffer(request) };
    this.requests.push(seen);
    const rule = this.#rules.find((one) => one.method === method && one.path.test(pathname) && one.times > 0);
    if (rule !== undefined) rule.times -= 1;
    const answer: Answer = rule?.answer ?? { status: 404, body: { itemNotFound: { message: "Not here." } } };
    const reply: CloudReply = typeof answer === "function" ? answer(seen) : answer;
    const { status = 200, headers: more = {}, body, instead } = reply;
    if (instead === "silence") return;
    if (instead === "drop") return void request.socket.destroy();
    response.setHeader("date", new Date(Date.now() + this.clockSkew * 1000).toUTCString());
    response.writeHead(status, more).end(typeof body === "object" ? JSON.stringify(body) : body);
  }

  #token(): CloudReply {
    this.#tokens += 1;
    const expires = new Date(Date.now() + (this.clockSkew + this.tokenLifetime) * 1000).toISOString();
    const project = { id: "p1", name: "rent", domain: { id: "default" } };
    return {
      status: 201,
      headers: { "x-subject-token": `secret-token-${this.#tokens}` },
      body: { token: { expires_at: expires, project, roles: [{ id: "r", name: "member" }], catalog: this.catalog } },
    };
  }
}

/** Ends after the test. `tls`: its certificates. */
export async function beginCloud(tls?: ServerOptions): Promise<SmallCloud> {
  // Requests come only after it listens.
  let cloud: SmallCloud | undefined;
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void cloud?.respond(request, response).catch(() => request.socket.destroy());
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  cloud = new SmallCloud(`${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`);
  return cloud;
}
