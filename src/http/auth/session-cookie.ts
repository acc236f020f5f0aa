// The cookie of the web console: it carries the secret of the session (rental/accounts/console-sessions.ts).
//
// Scripts cannot read it (HttpOnly), other sites cannot have it sent (SameSite=Strict). With https it is never sent
// over http (Secure) and no other host of the domain can set it (`__Host-`). With http, for trials on one machine,
// browsers would drop a Secure cookie, so it has another name there; each name is accepted by its own protocol only.

import { mayBeSessionSecret } from "../../secrets/session-secret.ts";
import type { OwnOrigin } from "../edge/own-origin.ts";

type Secure = Pick<OwnOrigin, "secure">;

const nameOf = ({ secure }: Secure) => (secure ? "__Host-lessor_console" : "lessor_console");
/** Of every cookie of the console. `Lax`: also sent when another site leads the browser here. */
export const attributesOf = ({ secure }: Secure, sameSite: "Strict" | "Lax" = "Strict") =>
  `Path=/; HttpOnly; SameSite=${sameSite}${secure ? "; Secure" : ""}`;

/** The secret of the session in a Cookie header. */
export function sessionSecretIn(header: string | undefined, own: Secure): string | undefined {
  return secretIn(header, nameOf(own));
}

/** The secret in this cookie. Undefined if there is none, or more than one: another party may have set one. */
export function secretIn(header: string | undefined, cookie: string): string | undefined {
  if (header === undefined) return undefined;
  const name = `${cookie}=`;
  const values = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length));
  const [secret] = values;
  return values.length === 1 && secret !== undefined && mayBeSessionSecret(secret) ? secret : undefined;
}

/** The Set-Cookie header that sets the session of a browser. */
export function givenCookie(secret: string, seconds: number, own: Secure): string {
  return `${nameOf(own)}=${secret}; Max-Age=${Math.max(0, Math.floor(seconds))}; ${attributesOf(own)}`;
}

/** The Set-Cookie header that deletes it. */
export function takenCookie(own: Secure): string {
  return `${nameOf(own)}=; Max-Age=0; ${attributesOf(own)}`;
}
