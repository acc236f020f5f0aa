// The calls to an OpenID Connect provider: discovery, the address to send a browser to, and the exchange of its response for
// what the provider says of who signed in. openid-client checks state, nonce, PKCE, issuer, audience, times and signature.
//
// Invariants: each call has a deadline and a limit of size, and follows no redirect. What was discovered is used for an hour at
// most, and a failed discovery is tried again after ten seconds at the earliest. Signatures are checked with the provider's
// keys, which are read again, at most once a minute, when a token names another one. Used by provider-routes.ts.

import * as oidc from "openid-client";
import type { Refreshed } from "../../rental/people/confirmations.ts";
import type { Claims } from "../../rental/people/identities.ts";
import { emailAddressPattern, longestEmailAddress } from "../../rules/emails.ts";
import { callbackPath, clockToleranceSeconds, type SignInProvider } from "../../rules/sign-in-providers.ts";

const timeoutSeconds = 10;
const mostBytes = 262_144;
const keptMs = 3_600_000;
const retryMs = 10_000;
const isAddress = new RegExp(emailAddressPattern);

export interface ProviderClient {
  readonly provider: SignInProvider;
  /** Where the browser goes. Throws ProviderError. */
  authorizationUrl(secrets: Secrets): Promise<string>;
  /** `query`: of the address that the provider sent the browser to. Throws ProviderError. */
  claimsOf(query: string, secrets: Secrets): Promise<Claims>;
  /** Whether the provider still confirms the person. */
  refresh(refreshToken: string, subject: string): Promise<Refreshed>;
  /** Where the browser signs out at the provider; undefined: it has no such address. */
  signOutUrl(): Promise<string | undefined>;
}

/** Bound to one browser and one attempt. */
interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `unreachable`: no usable response; `denied`: the person or the provider refused; `invalid`: a check failed. */
export class ProviderError extends Error {
  readonly reason: "unreachable" | "denied" | "invalid";

  constructor(reason: ProviderError["reason"], cause: unknown) {
    super(`sign-in failed: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** `url`: of the console. `now`: monotonic milliseconds, for tests. */
export function createProviderClient(
  provider: SignInProvider,
  url: string,
  now: () => number = () => performance.now(),
): ProviderClient {
  let discovered: { readonly at: number; readonly config: Promise<oidc.Configuration> } | undefined;
  let failedAt: number | undefined;
  const redirectUri = `${url}${callbackPath(provider.id)}`;

  async function configuration(): Promise<oidc.Configuration> {
    if (failedAt !== undefined && now() - failedAt < retryMs) throw new ProviderError("unreachable", undefined);
    if (discovered === undefined || now() - discovered.at > keptMs)
      discovered = { at: now(), config: discover(provider) };
    try {
      const config = await discovered.config;
      failedAt = undefined;
      return config;
    } catch (error) {
      discovered = undefined;
      failedAt = now();
      throw new ProviderError("unreachable", error);
    }
  }

  return {
    provider,
    async authorizationUrl({ state, nonce, verifier }) {
      const config = await configuration();
      const parameters = {
        redirect_uri: redirectUri,
        scope: scopesOf(provider, config).join(" "),
        ...{ state, nonce, code_challenge_method: "S256" },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      };
      return oidc.buildAuthorizationUrl(config, parameters).href;
    },
    async claimsOf(query, { state, nonce, verifier }) {
      const config = await configuration();
      try {
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error("no ID token");
        const isOffline = scopesOf(provider, config).includes(offlineScope);
        return { ...claimsFrom(provider, claims), refreshToken: isOffline ? tokens.refresh_token : undefined };
      } catch (error) {
        throw new ProviderError(reasonOf(error), error);
      }
    },
    async refresh(refreshToken, subject) {
      try {
        const tokens = await oidc.refreshTokenGrant(await configuration(), refreshToken);
        const claims = tokens.claims();
        if (claims !== undefined && claims.sub !== subject)
          return { status: "unknown", problem: "another subject", ofPerson: true };
        const groups = claims && groupsIn(provider, claims);
        return { status: "confirmed", refreshToken: tokens.refresh_token, groups };
      } catch (error) {
        const isOver = error instanceof oidc.ResponseBodyError && endingErrors.includes(error.error);
        return isOver ? { status: "ended" } : { status: "unknown", problem: reasonOf(error) };
      }
    },
    async signOutUrl() {
      const config = await configuration().catch(() => undefined);
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${url}/` }).href;
    },
  };
}

const offlineScope = "offline_access";
/** Of a refresh: the person has no access there, or has to sign in again. */
const endingErrors: readonly string[] = [
  "invalid_grant",
  "access_denied",
  "interaction_required",
  "login_required",
  "consent_required",
];

/** Those of the settings, and the one of refresh tokens where the provider has it. */
function scopesOf({ scopes }: SignInProvider, config: oidc.Configuration): string[] {
  const isOffered = config.serverMetadata().scopes_supported?.includes(offlineScope) === true;
  return [...new Set([...scopes, ...(isOffered ? [offlineScope] : [])])];
}

async function discover(provider: SignInProvider): Promise<oidc.Configuration> {
  const issuer = new URL(provider.issuer);
  const config = await oidc.discovery(
    issuer,
    provider.clientId,
    { client_secret: provider.clientSecret, [oidc.clockTolerance]: clockToleranceSeconds },
    undefined,
    {
      timeout: timeoutSeconds,
      [oidc.customFetch]: limitedFetch,
      // Only a provider on this machine is without TLS (config/sign-in.ts).
      execute: [oidc.enableNonRepudiationChecks, ...(issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : [])],
    },
  );
  if (config.serverMetadata().authorization_endpoint === undefined) throw new Error("no authorization endpoint");
  return config;
}

/** Rejects a response that is larger than any that is needed. */
const limitedFetch: oidc.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, {
    ...options,
    redirect: "manual",
    ...(body !== undefined && { body: body as NonNullable<RequestInit["body"]> }),
  });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error("the response of the provider is too large");
    chunks.push(Uint8Array.from(chunk));
  }
  const { status, statusText, headers } = response;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : new Blob(chunks), { status, statusText, headers });
};

function reasonOf(error: unknown): ProviderError["reason"] {
  if (error instanceof oidc.AuthorizationResponseError) return "denied";
  // Of oauth4webapi: what a check did not accept. Others are of the network.
  if (error instanceof ProviderError) return error.reason;
  return error instanceof oidc.ClientError || error instanceof oidc.ResponseBodyError ? "invalid" : "unreachable";
}

/** Names and addresses come as people wrote them there: only what can be shown on a line and sent to is taken. */
function claimsFrom(provider: SignInProvider, claims: oidc.IDToken): Omit<Claims, "refreshToken"> {
  if (!/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(claims.sub)) throw new oidc.ClientError("the subject is not usable");
  const text = (value: unknown) => {
    const line = typeof value === "string" ? value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ").trim() : "";
    return line === "" ? undefined : line;
  };
  const email = typeof claims.email === "string" ? claims.email.trim() : "";
  const name = text(claims.name) ?? text(claims.preferred_username) ?? text(email) ?? "Person";
  return {
    subject: claims.sub,
    name: [...name].slice(0, 64).join("").trim(),
    email: email.length <= longestEmailAddress && isAddress.test(email) ? email : undefined,
    isEmailVerified: claims.email_verified === true,
    groups: groupsIn(provider, claims),
  };
}

function groupsIn({ groupsClaim }: SignInProvider, claims: oidc.IDToken): ReadonlySet<string> {
  const groups = claims[groupsClaim];
  return new Set(Array.isArray(groups) ? groups.filter((one) => typeof one === "string") : []);
}
