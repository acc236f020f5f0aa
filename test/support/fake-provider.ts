// An OpenID Connect provider for attacks: it signs what a test says, and issues codes without asking anyone.

import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { SignInProvider } from "../../src/rules/sign-in-providers.ts";

interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: object;
}

/** What the next ID token differs in. */
export interface Twist {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signed with a key that the provider does not publish. */
  readonly foreignKey?: boolean;
  readonly noIdToken?: boolean;
  /** Instead of the response of the token endpoint. */
  readonly raw?: string;
  /** Characters that the response of the token endpoint has more. */
  readonly padding?: number;
  /** Where the token endpoint sends its client instead. */
  readonly redirectTo?: string;
  /** The token endpoint does not check PKCE. */
  readonly ignoresVerifier?: boolean;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

export class FakeProvider {
  twist: Twist = {};
  /** That it gives with each response; undefined: none. */
  refreshToken: string | undefined;
  /** Who signs in next. */
  user: Readonly<Record<string, unknown>> = { sub: "ada" };
  isDown = false;
  requests: string[] = [];
  readonly #server = createServer((request, reply) => {
    void this.#answer(request).then(({ status, body, location }) => {
      reply.writeHead(status, { "content-type": "application/json", ...(location !== undefined && { location }) });
      reply.end(body);
    });
  });
  readonly #codes = new Map<
    string,
    { readonly nonce: string; readonly challenge: string; readonly redirect: string }
  >();
  #keys: Key[] = [];

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    provider.rotate();
    await new Promise<void>((listening) => provider.#server.listen(0, "127.0.0.1", listening));
    return provider;
  }

  get issuer(): string {
    // A server on a port has one.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As in the settings. */
  settings(more: Partial<SignInProvider> = {}): SignInProvider {
    return {
      ...{ id: "fake", label: "Fake", issuer: this.issuer, clientId: "lessor", clientSecret: "secret" },
      ...{ scopes: ["openid", "email"], linkByEmail: false, signUp: true, groupsClaim: "groups", groups: [] },
      ...{ sessionMinutes: 60, unconfirmedHours: 24 },
      ...more,
    };
  }

  /** Publishes and uses a new key only. */
  rotate(): void {
    this.#keys = [newKey()];
  }

  /** The browser signs in here: gives the query of the address that it is sent to then. */
  signsIn(authorizationUrl: string): URLSearchParams {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    const of = (name: string) => asked.get(name) ?? "";
    this.#codes.set(code, {
      ...{ nonce: of("nonce"), challenge: of("code_challenge"), redirect: of("redirect_uri") },
    });
    return new URLSearchParams({ code, state: of("state"), iss: this.issuer });
  }

  close(): void {
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: string; location?: string }> {
    const path = request.url ?? "";
    this.requests.push(path);
    if (this.isDown) return { status: 503, body: "{}" };
    const json = (value: object, status = 200) => ({ status, body: JSON.stringify(value) });
    const at = (end: string) => `${this.issuer}${end}`;
    if (path === "/.well-known/openid-configuration") {
      return json({
        ...{ issuer: this.issuer, authorization_endpoint: at("/auth"), token_endpoint: at("/token") },
        ...{ jwks_uri: at("/jwks"), end_session_endpoint: at("/end"), response_types_supported: ["code"] },
        ...{ subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] },
        authorization_response_iss_parameter_supported: true,
        scopes_supported: ["openid", "email", "offline_access"],
      });
    }
    if (path === "/jwks") return json({ keys: this.#keys.map(({ jwk }) => jwk) });
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = new URLSearchParams(text);
    if (this.twist.redirectTo !== undefined) return { status: 307, body: "{}", location: this.twist.redirectTo };
    const code = this.#codes.get(body.get("code") ?? "");
    this.#codes.delete(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isProved = this.twist.ignoresVerifier === true || code?.challenge === challenge;
    if (code === undefined || !isProved || code.redirect !== body.get("redirect_uri"))
      return json({ error: "invalid_grant" }, 400);
    if (this.twist.raw !== undefined) return { status: 200, body: this.twist.raw };
    const padding = "x".repeat(this.twist.padding ?? 0);
    const tokens = {
      access_token: randomUUID(),
      token_type: "Bearer",
      expires_in: 60,
      refresh_token: this.refreshToken,
      padding,
    };
    return json(this.twist.noIdToken === true ? tokens : { ...tokens, id_token: this.#idToken(code.nonce) });
  }

  #idToken(nonce: string): string {
    const [key] = this.twist.foreignKey === true ? [newKey()] : this.#keys;
    if (key === undefined) throw new Error("BUG: a provider without a key");
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: this.issuer, aud: "lessor", nonce, iat: now, exp: now + 60, ...this.user, ...this.twist.claims },
    };
    const header = { alg: "RS256", kid: key.kid, ...this.twist.header };
    const signed = `${encoded(header)}.${encoded(claims)}`;
    if (header.alg === "none") return `${signed}.`;
    return `${signed}.${sign("sha256", Buffer.from(signed), key.privateKey).toString("base64url")}`;
  }
}

function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const kid = randomUUID();
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
}
