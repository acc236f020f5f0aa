// Sign-ins at a provider that have begun: bound to one browser by a cookie, from whose secret state, nonce and code verifier
// derive, so that none of them is stored. Each ends once, within ten minutes. Used by http/console.

import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { attemptMinutes } from "../../rules/sign-in-providers.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";

/** What a provider gets of an attempt; 43 letters of base64url each. */
export function derivedFrom(secret: string) {
  const derive = (what: string) => createHmac("sha256", secret).update(`lessor sign-in ${what}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") };
}

export async function beginAttempt(
  db: Database,
  { secret, provider, returnTo }: { readonly secret: string; readonly provider: string; readonly returnTo: string },
): Promise<void> {
  await sql`
    insert into sign_in_attempts (hash, provider, return_to, expires_at)
    values (${hashSessionSecret(secret)}, ${provider}, ${returnTo},
      now() + make_interval(mins => ${attemptMinutes}))`.execute(db);
}

/** Ends the attempt of this browser; undefined: there is none, it has expired, or was at another provider. */
export async function endAttempt(
  tx: Transaction,
  { secret, provider }: { readonly secret: string; readonly provider: string },
): Promise<{ readonly returnTo: string } | undefined> {
  const { rows } = await sql<{ provider: string; return_to: string; expired: boolean }>`
    delete from sign_in_attempts where hash = ${hashSessionSecret(secret)}
    returning provider, return_to, expires_at <= now() as expired`.execute(tx);
  const [attempt] = rows;
  if (attempt === undefined || attempt.expired || attempt.provider !== provider) return undefined;
  return { returnTo: attempt.return_to };
}

export async function deleteOldAttempts(db: Database): Promise<void> {
  await sql`delete from sign_in_attempts where expires_at <= now()`.execute(db);
}
