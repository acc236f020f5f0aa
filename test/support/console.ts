// A browser at the web console, as far as a server sees one: it keeps the session's cookie as browsers do and sends what
// they send. What a test gives itself comes instead, so that it can be any other page too.
//
//   const browser = new Browser(http.main);
//   await browser.signIn(token);
//   const { status } = await browser.ask("GET", "/control/v1/account");

import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { expect } from "vitest";

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined where it is no JSON. */
  readonly body: unknown;
}

/** Headers of a request; null takes one away that would be sent. */
export type Headers = Readonly<Record<string, string | null>>;

export interface Asked {
  readonly headers?: Headers;
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
}

/** What the console's own requests have. */
const fromConsole: Headers = { "x-lessor-console": "1", "sec-fetch-site": "same-origin" };

export class Browser {
  readonly url: string;
  /** The session's, as in a Cookie header; undefined: none. */
  cookie: string | undefined;
  /** Of the browser that requested a sign-in link, or began a sign-in at a provider. */
  signInCookie: string | undefined;
  readonly #always: Headers;

  /** `always`: headers that a proxy in between adds to each request. */
  constructor(url: string, always: Headers = {}) {
    this.url = url;
    this.#always = always;
  }

  /** The secret of its session. */
  get secret(): string {
    return this.cookie?.split("=")[1] ?? "";
  }

  async signIn(token: string): Promise<Seen> {
    const seen = await this.ask("POST", "/console/session", { body: { token } });
    expect(seen.status, seen.text).toBe(200);
    return seen;
  }

  signOut(): Promise<Seen> {
    return this.ask("DELETE", "/console/session");
  }

  /** As the console asks. Keeps the cookie that the answer sets. */
  async ask(method: string, path: string, { headers = {}, body }: Asked = {}): Promise<Seen> {
    const cookies = [this.cookie, this.signInCookie].filter((one) => one !== undefined);
    const cookie = cookies.length === 0 ? {} : { cookie: cookies.join("; ") };
    const seen = await exchange(
      method,
      this.url + path,
      { ...fromConsole, ...this.#always, ...cookie, ...headers },
      body,
    );
    for (const set of seen.headers["set-cookie"] ?? []) {
      const [pair = ""] = set.split(";");
      const kept = /; Max-Age=0(;|$)/.test(set) ? undefined : pair;
      if (/^(__Host-)?lessor_(sign_in|attempt)=/.test(pair)) this.signInCookie = kept;
      else this.cookie = kept;
    }
    return seen;
  }
}

/** One request with exactly these headers. `encoding`: of the answer's text. */
export function exchange(
  method: string,
  url: string,
  headers: Headers,
  body?: unknown,
  encoding: BufferEncoding = "utf8",
): Promise<Seen> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)) as OutgoingHttpHeaders;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answer = Buffer.concat(chunks).toString(encoding);
        const { statusCode: status = 0, headers: given } = response;
        resolve({ status, headers: given, text: answer, body: parsed(answer) });
      });
    });
    asking.on("error", reject);
    asking.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
