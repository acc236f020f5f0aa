// The cookie of a browser that requested a sign-in link: the link works without further question in that browser only
// (rental/people/sign-in-links.ts). Its attributes and names are as those of the session's cookie (session-cookie.ts). A sign-in
// at a provider has a cookie of its own, which is also sent when the provider sends the browser back.

import type { OwnOrigin } from "../edge/own-origin.ts";
import { attributesOf, secretIn } from "./session-cookie.ts";

type Secure = Pick<OwnOrigin, "secure">;

const nameOf = ({ secure }: Secure) => (secure ? "__Host-lessor_sign_in" : "lessor_sign_in");

/** The secret of the browser in a Cookie header; undefined: none, or several. */
export function browserSecretIn(header: string | undefined, own: Secure): string | undefined {
  return secretIn(header, nameOf(own));
}

/** The Set-Cookie header that sets it. */
export function givenBrowserCookie(secret: string, seconds: number, own: Secure): string {
  return `${nameOf(own)}=${secret}; Max-Age=${seconds}; ${attributesOf(own)}`;
}

/** The Set-Cookie header that deletes it. */
export function takenBrowserCookie(own: Secure): string {
  return `${nameOf(own)}=; Max-Age=0; ${attributesOf(own)}`;
}

const attemptNameOf = ({ secure }: Secure) => (secure ? "__Host-lessor_attempt" : "lessor_attempt");

/** The secret of a sign-in at a provider. */
export function attemptSecretIn(header: string | undefined, own: Secure): string | undefined {
  return secretIn(header, attemptNameOf(own));
}

export function givenAttemptCookie(secret: string, seconds: number, own: Secure): string {
  return `${attemptNameOf(own)}=${secret}; Max-Age=${seconds}; ${attributesOf(own, "Lax")}`;
}

export function takenAttemptCookie(own: Secure): string {
  return `${attemptNameOf(own)}=; Max-Age=0; ${attributesOf(own, "Lax")}`;
}
