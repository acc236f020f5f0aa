// Requests to the lab's services as they are, for the lab's own seed and for tests that look at what the engine did.

import { setTimeout as sleep } from "node:timers/promises";
import { adminPassword } from "./configuration/ini.ts";
import { type Layout, type ports, urlOf } from "./layout.ts";

export type ApiService = Exclude<keyof typeof ports, "database" | "bus">;

/** Who asks, as the body of an authentication. */
export type Credentials = object;

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As JSON; bytes as they are. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service says; a test looks at it by itself.
  readonly body: any;
}

const bases: Readonly<Record<ApiService, string>> = {
  identity: "/v3",
  image: "/v2",
  placement: "",
  compute: "/v2.1",
  network: "/v2.0",
  volume: "/v3",
};

/** What the services of Zed offer; a request may ask for another. */
const versions: Readonly<Partial<Record<ApiService, string>>> = {
  compute: "compute 2.90",
  placement: "placement 1.36",
  volume: "volume 3.59",
};

export const adminCredentials: Credentials = {
  identity: {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: adminPassword } },
  },
  scope: { project: { name: "admin", domain: { id: "default" } } },
};

export class Api {
  readonly #layout: Layout;
  readonly #credentials: Credentials;
  #token: string | undefined;

  constructor(layout: Layout, credentials: Credentials) {
    this.#layout = layout;
    this.#credentials = credentials;
  }

  /** `path` after the version: "/servers/detail". Tells every status but a 401, after which it signs in anew, once. */
  async request(service: ApiService, path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const response = await this.#send(service, path, request);
    if (response.status !== 401) return response;
    this.#token = undefined;
    return await this.#send(service, path, request);
  }

  /** Gives the body. Throws for every status from 400 on but those that are named. */
  async expect(service: ApiService, path: string, request: ApiRequest = {}, fine: readonly number[] = []) {
    const { status, body } = await this.request(service, path, request);
    if (status < 400 || fine.includes(status)) return body;
    throw new Error(`${request.method ?? "GET"} ${service} ${path}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  }

  async token(): Promise<string> {
    this.#token ??= await authenticate(this.#layout, this.#credentials);
    return this.#token;
  }

  async #send(service: ApiService, path: string, { method = "GET", body, headers = {} }: ApiRequest) {
    const url = `${urlOf(this.#layout, service)}${bases[service]}${path}`;
    const version = versions[service];
    const response = await fetch(url, {
      method,
      headers: {
        "x-auth-token": await this.token(),
        accept: "application/json",
        ...(version === undefined ? {} : { "openstack-api-version": version }),
        ...(body === undefined || body instanceof Uint8Array ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  }
}

async function authenticate(layout: Layout, credentials: Credentials): Promise<string> {
  const response = await fetch(`${urlOf(layout, "identity")}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ auth: credentials }),
    signal: AbortSignal.timeout(120_000),
  });
  const token = response.headers.get("x-subject-token");
  const said = await response.text();
  if (token === null) throw new Error(`Keystone of the lab gives no token: ${response.status} ${said.slice(0, 500)}`);
  return token;
}

/** Returns what the function gives as soon as that is something. Throws after the time. */
export async function eventually<T>(what: string, seconds: number, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what} in the lab`);
    await sleep(200);
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
