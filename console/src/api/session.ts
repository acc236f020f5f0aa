// What is asked without a session: signing in and out, the only endpoints outside the control API, and accepting an
// invitation. Tokens and the secrets of links are sent once and never stored: the session is in a cookie that scripts cannot
// read.

import openapiFetch from "openapi-fetch";
import { given, LessorError, type Shape } from "../../../src/client/client.ts";
import type { paths } from "../../../src/client/control-api.ts";
import { consoleHeaders } from "./client.ts";

export interface Session {
  /** Where the control API is: a path on this origin, or an address. */
  readonly control_url: string;
  readonly account: Shape<"OwnAccount">;
  readonly expires_at: string;
  /** Whether instances are simulated, and cannot compute. */
  readonly simulated: boolean;
}

export interface SignInWays extends Pick<Session, "control_url"> {
  /** By email. */
  readonly links: boolean;
  readonly providers: readonly { readonly id: string; readonly label: string }[];
}

/** The session of this browser, or null. Throws LessorError. */
export async function readSession(): Promise<Session | null> {
  const response = await ask("GET");
  if (response.status === 401) return null;
  return sessionOf(response);
}

/** Signs in with a token. Throws LessorError. */
export async function signIn(token: string): Promise<Session> {
  return sessionOf(await ask("POST", { token }));
}

/** How people can sign in besides with a token, and where the control API is. Throws LessorError. */
export async function signInWays(): Promise<SignInWays> {
  const response = await ask("GET", undefined, "/console/sign-in");
  const body = await bodyOf(response);
  if (!response.ok) throw new LessorError(response.status, body);
  return (body as { data: SignInWays }).data; // the contract, as below
}

/** Leaves for a provider, which sends the browser back to the page that is shown now. Throws Error. */
export async function leaveForProvider(id: string): Promise<void> {
  const here = window.location.pathname === "/sign-in" ? "/" : window.location.pathname;
  const response = await ask("POST", { return_to: here }, `/console/sign-in/${encodeURIComponent(id)}`);
  const body = await bodyOf(response);
  if (!response.ok) throw new LessorError(response.status, body);
  const { url } = (body as { data: { url?: string } }).data; // the contract, as below
  if (url === undefined) throw new Error("the provider does not respond");
  window.location.assign(url);
}

/** Has a sign-in link sent, if a person has this address. Throws LessorError. */
export async function requestLink(email: string): Promise<void> {
  const response = await ask("POST", { email }, "/console/sign-in/link");
  if (!response.ok) throw new LessorError(response.status, await bodyOf(response));
}

/** Signs in with a link; or returns the address to confirm, because another browser requested it. Throws LessorError. */
export async function signInByLink(
  secret: string,
  confirmed: string | undefined,
): Promise<Session | { readonly confirm: string }> {
  const response = await ask(
    "POST",
    confirmed === undefined ? { secret } : { secret, email: confirmed },
    "/console/sign-in",
  );
  const body = await bodyOf(response);
  if (!response.ok) throw new LessorError(response.status, body);
  return (body as { data: Session | { confirm: string } }).data; // the contract, as below
}

/** A command line that waits to be signed in. */
export interface PendingDevice {
  readonly name: string;
  readonly address: string | null;
}

/** What shows this code; with a team, it is signed in there. `accountId`: that the page shows. Throws LessorError. */
export async function confirmDevice(accountId: string, code: string, team?: string): Promise<PendingDevice> {
  const sent = { code, ...(team !== undefined && { team }) };
  const response = await ask("POST", sent, "/console/device/confirm", { "X-Lessor-Account": accountId });
  const body = await bodyOf(response);
  if (!response.ok) throw new LessorError(response.status, body);
  return (body as { data: PendingDevice }).data; // the contract, as below
}

/** Ends the session, on the server too. */
export async function signOut(): Promise<void> {
  const response = await ask("DELETE");
  const body = await bodyOf(response);
  if (!response.ok && response.status !== 401) throw new LessorError(response.status, body);
  // At the provider too, where the person signed in with one.
  const { sign_out_url: away } = (body as { data?: { sign_out_url?: string } } | undefined)?.data ?? {};
  if (away !== undefined) window.location.assign(away);
}

/**
 * Accepts an invitation, as a new person with the name, or as the person of a token, or of this browser's session, which is
 * sent in that case alone. Throws LessorError.
 */
export async function acceptInvitation(
  body: { readonly secret: string; readonly name?: string },
  as: { readonly token: string } | { readonly accountId: string } | undefined,
): Promise<Shape<"Joined">> {
  const { control_url: base } = await signInWays();
  const client = openapiFetch<paths>({ baseUrl: new URL(base, window.location.origin).href, ...credentialsOf(as) });
  return (await given(client.POST("/invitations/accept", { body }))).data;
}

function credentialsOf(as: { readonly token: string } | { readonly accountId: string } | undefined) {
  if (as === undefined) return { credentials: "omit" } as const;
  if ("token" in as) return { credentials: "omit", headers: { authorization: `Bearer ${as.token}` } } as const;
  return { credentials: "same-origin", headers: { ...consoleHeaders, "X-Lessor-Account": as.accountId } } as const;
}

/** The session acts in another team of its person from now on. Throws LessorError. */
export async function switchSession(accountId: string, team: string): Promise<Session> {
  const { control_url: base } = await signInWays();
  const client = openapiFetch<paths>({
    ...{ baseUrl: new URL(base, window.location.origin).href, ...credentialsOf({ accountId }) },
  });
  await given(client.POST("/sessions/switch", { body: { team } }));
  const session = await readSession();
  if (session === null) throw new Error("BUG: a session is over after it was switched");
  return session;
}

function ask(
  method: "GET" | "POST" | "DELETE",
  body?: object,
  path = "/console/session",
  more = {},
): Promise<Response> {
  return fetch(path, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: { ...consoleHeaders, ...more, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function sessionOf(response: Response): Promise<Session> {
  const body = await bodyOf(response);
  if (!response.ok) throw new LessorError(response.status, body);
  // The contract of the service that this file is served by.
  return (body as { data: Session }).data;
}

async function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
