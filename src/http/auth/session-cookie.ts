// The cookie of the web console: who has it is the session (rental/accounts/console-sessions.ts).
//
// Scripts cannot read it (HttpOnly), other sites cannot have it sent (SameSite=Strict), and by https it is never sent
// otherwise (Secure) and set by no other host of the domain (`__Host-`). By http, which is for trying it out on one machine,
// browsers would not keep a cookie that is Secure, so it has another name there; each is taken by its own protocol only.

import { mayBeSessionSecret } from "../../secrets/session-secret.ts";
import type { OwnOrigin } from "../edge/own-origin.ts";

type Secure = Pick<OwnOrigin, "secure">;

const nameOf = ({ secure }: Secure) => (secure ? "__Host-lessor_console" : "lessor_console");
const attributesOf = ({ secure }: Secure) => `Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;

/** The secret in a Cookie header. Undefined where there is none, or more than one: then somebody else may have set one. */
export function sessionSecretIn(header: string | undefined, own: Secure): string | undefined {
  if (header === undefined) return undefined;
  const name = `${nameOf(own)}=`;
  const values = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length));
  const [secret] = values;
  return values.length === 1 && secret !== undefined && mayBeSessionSecret(secret) ? secret : undefined;
}

/** The Set-Cookie header that gives a browser its session. */
export function givenCookie(secret: string, seconds: number, own: Secure): string {
  return `${nameOf(own)}=${secret}; Max-Age=${Math.max(0, Math.floor(seconds))}; ${attributesOf(own)}`;
}

/** The Set-Cookie header that takes it away. */
export function takenCookie(own: Secure): string {
  return `${nameOf(own)}=; Max-Age=0; ${attributesOf(own)}`;
}
