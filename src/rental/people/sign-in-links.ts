// Signing in by a link that is sent by email: who can read emails to an address signs in as the people with that address.
//
// Invariants: a link is used once, by deleting its row, within 15 minutes; a new request ends the previous link. Its secret is
// stored as a hash, and encrypted with the email until that is sent. A request is counted before it is known whether
// anyone has the address, and nothing else of a request for an unknown address is stored. A link that another browser
// requested needs its address confirmed, so that following a link signs no one in as another person unnoticed.
// Used by http/console.

import { createHash } from "node:crypto";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { emailSecretContext, signInEmail } from "../../rules/emails.ts";
import { signInLinks } from "../../rules/sign-in.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { newSignInSecret } from "../../secrets/sign-in-secret.ts";
import { hashToken } from "../../secrets/token.ts";
import { queueEmails } from "../emails/queue.ts";
import { type Team, teamsOf } from "./teams.ts";

/**
 * Counts a request. Returns in how many seconds the next one is accepted, if a limit is exceeded: that of the client first, so
 * that what one client sends beyond it uses up nothing of others, and stores nothing.
 */
export async function countLinkRequest(
  tx: Transaction,
  { email, client }: { readonly email: string; readonly client: string },
): Promise<number | undefined> {
  return (
    (await countRequest(tx, "client", client, signInLinks.perClient)) ??
    (await countRequest(tx, "email", email.toLowerCase(), signInLinks.perEmail)) ??
    (await countRequest(tx, "all", "", signInLinks.overall))
  );
}

/** Counts one of the requests that anyone can send. `whose`: who is limited. */
export async function countRequest(
  tx: Transaction,
  what: string,
  whose: string,
  most: number,
): Promise<number | undefined> {
  const key = keyOf(what, whose);
  const isOver = sql`r.since <= now() - make_interval(secs => ${signInLinks.limitSeconds})`;
  const { rows } = await sql<{ requests: number; seconds: number }>`
    insert into sign_in_requests as r (key, since, requests) values (${key}, now(), 1)
    on conflict (key) do update set
      since = case when ${isOver} then now() else r.since end,
      requests = case when ${isOver} then 1 else least(r.requests, ${most}) + 1 end
    returning r.requests, ceil(extract(epoch from r.since - now()) + ${signInLinks.limitSeconds})::int as seconds`.execute(
    tx,
  );
  const [row] = rows;
  return row === undefined || row.requests <= most ? undefined : Math.max(1, row.seconds);
}

const keyOf = (what: string, whose: string) => createHash("sha256").update(`${what} ${whose}`).digest();

/**
 * Makes the link and queues the email, if a person with this address can sign in. `url`: what the secret follows. Returns
 * the whole link, for services that print it instead.
 */
export async function sendLink(
  tx: Transaction,
  { email, browserHash, url }: { readonly email: string; readonly browserHash: Buffer; readonly url: string },
  keyRing: KeyRing,
): Promise<string | undefined> {
  const address = email.toLowerCase();
  const [team] = await teamsOf(tx, { byEmail: address });
  if (team === undefined) return undefined;
  const { secret, hash } = newSignInSecret();
  const id = uuidv7();
  const expiry = sql`now() + make_interval(mins => ${signInLinks.minutes})`;
  await sql`
    insert into sign_in_links (id, email, hash, browser_hash, expires_at)
    values (${id}, ${address}, ${hash}, ${browserHash}, ${expiry})
    on conflict (email) do update set id = excluded.id, hash = excluded.hash,
      browser_hash = excluded.browser_hash, expires_at = excluded.expires_at`.execute(tx);
  const secretSealed = keyRing.seal(secret, emailSecretContext(id));
  await queueEmails(tx, [
    { ...signInEmail(id, url), id, accountId: team.accountId, recipient: team.person.email, secretSealed },
  ]);
  return `${url}${secret}`;
}

/** Whose a link was, with the team to sign in to; or the address to confirm. */
export type Redeemed = { readonly team: Team; readonly byEmail: string } | { readonly confirm: string };

/**
 * Uses a link. `confirmed`: the address that the person confirmed. Undefined: it does not exist, was used or replaced, has
 * expired, or no person with the address can sign in any more.
 */
export async function redeemLink(
  tx: Transaction,
  {
    secret,
    browserHash,
    confirmed,
  }: { readonly secret: string; readonly browserHash: Buffer | undefined; readonly confirmed: string | undefined },
): Promise<Redeemed | undefined> {
  const { rows } = await sql<{ email: string; browser_hash: Buffer }>`
    select email, browser_hash from sign_in_links
    where hash = ${hashToken(secret)} and expires_at > now() for update`.execute(tx);
  const [link] = rows;
  if (link === undefined) return undefined;
  const isSameBrowser = browserHash?.equals(link.browser_hash) === true;
  if (!isSameBrowser && confirmed?.toLowerCase() !== link.email) return { confirm: link.email };
  await sql`delete from sign_in_links where email = ${link.email}`.execute(tx);
  const [team] = await teamsOf(tx, { byEmail: link.email });
  return team && { team, byEmail: link.email };
}

/** Deletes links and counts that are over. Returns how many. */
export async function deleteOldLinks(db: Database): Promise<number> {
  const links = await sql`delete from sign_in_links where expires_at <= now()`.execute(db);
  const counts = await sql`delete from sign_in_requests
    where since <= now() - make_interval(secs => ${signInLinks.limitSeconds})`.execute(db);
  return Number((links.numAffectedRows ?? 0n) + (counts.numAffectedRows ?? 0n));
}
