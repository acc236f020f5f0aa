// A real OpenID Connect provider (oidc-provider from npm) on this machine, and a person's browser at it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { expect } from "vitest";
import type { SignInProvider } from "../../src/rules/sign-in-providers.ts";

export interface RealProvider {
  readonly settings: (more?: Partial<SignInProvider>) => SignInProvider;
  /** Claims by subject, which is what a person types as the login. */
  readonly people: Map<string, Record<string, unknown>>;
  /** Who is disabled there. */
  readonly disabled: Set<string>;
  /** Requests of its token endpoint. */
  readonly tokenRequests: () => number;
  isDown: boolean;
  /** The person signs in and consents; gives the query that the browser is sent back with. */
  signsIn(authorizationUrl: string, login: string): Promise<string>;
  close(): void;
}

/** `redirectUri`: of the only client. `refreshTokens`: it gives some, each for one use. */
export async function startRealProvider(
  redirectUri: string,
  { refreshTokens = false }: { readonly refreshTokens?: boolean } = {},
): Promise<RealProvider> {
  const people: RealProvider["people"] = new Map();
  const disabled = new Set<string>();
  let tokenRequests = 0;
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // A server on a port has one.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: "lessor", client_secret: "a-secret-of-the-client", redirect_uris: [redirectUri] },
        post_logout_redirect_uris: ["https://console.example/"],
        grant_types: ["authorization_code", ...(refreshTokens ? ["refresh_token"] : [])],
      },
    ],
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["of this test"] },
    ...(refreshTokens && {
      ...{ issueRefreshToken: () => true, rotateRefreshToken: true, expiresWithSession: () => false },
    }),
    findAccount: (_, sub) =>
      disabled.has(sub) ? undefined : { accountId: sub, claims: () => Promise.resolve({ sub, ...people.get(sub) }) },
  });
  const respond = provider.callback();
  server.on("request", (request, reply) => {
    if (request.url === "/token") tokenRequests++;
    if (real.isDown) reply.writeHead(503).end();
    else respond(request, reply);
  });

  const real: RealProvider = {
    ...{ people, disabled, isDown: false, tokenRequests: () => tokenRequests },
    settings: (more = {}) => ({
      ...{ id: "real", label: "Real", issuer, clientId: "lessor", clientSecret: "a-secret-of-the-client" },
      ...{ scopes: ["openid", "email", "profile"], linkByEmail: false, signUp: false, groupsClaim: "groups" },
      ...{ groups: [], sessionMinutes: 60, unconfirmedHours: 24 },
      ...more,
    }),
    async signsIn(authorizationUrl, login) {
      const cookies = new Map<string, string>();
      let [url, body]: [string, string | undefined] = [authorizationUrl, undefined];
      for (let step = 0; step < 12; step++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response: Response = await fetch(url, {
          ...{ redirect: "manual", headers: { cookie } },
          ...(body !== undefined && { method: "POST", body: new URLSearchParams(body) }),
        });
        body = undefined;
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get("location");
        if (location === null) {
          const page = await response.text();
          expect(response.status, page).toBe(200);
          const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
          body = `prompt=${prompt}&login=${login}&password=x`;
        } else {
          url = new URL(location, url).href;
          if (url.startsWith(redirectUri)) return new URL(url).search.slice(1);
        }
      }
      throw new Error("the provider never sent the browser back");
    },
    close: () => void server.close(),
  };
  return real;
}
