// The command line signs in through the browser, as RFC 8628 describes: it shows a code, a person who is signed in to the
// console types it and confirms, and the command line gets a token of that person in the team that was chosen.
//
// Invariants: the token is given once, to who has the secret, and the row is deleted with that. A code is for ten minutes.
// Both ends are limited: polls to one in a few seconds, and codes that a person tries. Only a person confirms, in the console.
// Used by http/console.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { deviceSignIn } from "../../rules/sign-in.ts";
import { newDeviceSecret, newUserCode, userCodeIn } from "../../secrets/device-secret.ts";
import { hashToken } from "../../secrets/token.ts";
import { createToken } from "../accounts/token-store.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
import { listTeams } from "./sessions.ts";
import { sessionTokenOf } from "./teams.ts";

export interface DeviceSignIn {
  /** Returned only here. */
  readonly secret: string;
  readonly userCode: string;
}

/** `name`: of the computer. `address`: of the client. */
export async function beginDeviceSignIn(
  tx: Transaction,
  { name, address }: { readonly name: string; readonly address: string | null },
): Promise<DeviceSignIn> {
  const { secret, hash } = newDeviceSecret();
  // One in 25 thousand million is taken: then another is tried.
  for (let attempt = 0; attempt < 5; attempt++) {
    const userCode = newUserCode();
    const { rows } = await sql`
      insert into device_sign_ins (hash, user_code, name, address, expires_at)
      values (${hash}, ${userCode}, ${name}, ${address}, now() + make_interval(mins => ${deviceSignIn.minutes}))
      on conflict (user_code) do nothing returning 1`.execute(tx);
    if (rows.length > 0) return { secret, userCode };
  }
  throw new Error("BUG: five random codes were taken");
}

/** What waits for a confirmation. */
export interface PendingDevice {
  readonly name: string;
  readonly address: string | null;
}

/** Throws RentalError conflict: there is no such code. */
export async function readDevice(db: Database, typed: string): Promise<PendingDevice> {
  const { rows } = await sql<{ name: string; address: string | null }>`
    select name, address from device_sign_ins
    where user_code = ${userCodeIn(typed)} and expires_at > now() and person_id is null`.execute(db);
  const [row] = rows;
  if (row === undefined) throw noSuchCode();
  return row;
}

/** The command line gets a token of this person in this team. Throws RentalError conflict, unknown-object. */
export async function confirmDevice(tx: Transaction, by: Principal, typed: string, accountId: string): Promise<void> {
  const team = (await listTeams(tx, by)).find((one) => one.accountId === accountId);
  if (team === undefined) throw new RentalError("unknown-object", { what: "account", ids: [accountId] });
  const { rows } = await sql`
    update device_sign_ins set account_id = ${accountId}, person_id = ${team.person.id}
    where user_code = ${userCodeIn(typed)} and expires_at > now() and person_id is null returning 1`.execute(tx);
  if (rows.length === 0) throw noSuchCode();
}

export type DevicePoll =
  | { readonly status: "pending" | "slow_down" | "expired" }
  | { readonly status: "done"; readonly token: string; readonly tokenId: string; readonly accountId: string };

/** The token, once it is confirmed. */
export async function pollDevice(tx: Transaction, secret: string): Promise<DevicePoll> {
  const { rows } = await sql<{
    hash: Buffer;
    name: string;
    account_id: string | null;
    person_id: string | null;
    is_soon: boolean;
  }>`
    select hash, name, account_id, person_id,
      coalesce(polled_at > now() - make_interval(secs => ${deviceSignIn.pollSeconds - 1}), false) as is_soon
    from device_sign_ins where hash = ${hashToken(secret)} and expires_at > now() for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) return { status: "expired" };
  if (row.is_soon) return { status: "slow_down" };
  if (row.account_id === null || row.person_id === null) {
    await sql`update device_sign_ins set polled_at = now() where hash = ${row.hash}`.execute(tx);
    return { status: "pending" };
  }
  await sql`delete from device_sign_ins where hash = ${row.hash}`.execute(tx);
  const who = { accountId: row.account_id, person: { id: row.person_id, email: "" } };
  // Removed meanwhile: as if the code had expired.
  if ((await sessionTokenOf(tx, who)) === undefined) return { status: "expired" };
  const { rows: expiry } = await sql<{ at: Date }>`
    select now() + make_interval(days => ${deviceSignIn.tokenDays}) as at`.execute(tx);
  const made = await createToken(tx, {
    ...{ accountId: row.account_id, personId: row.person_id, scopes: ["read", "write"] as const },
    ...{ name: `CLI on ${row.name}`.slice(0, 64).trim(), expiresAt: expiry[0]?.at ?? null },
  });
  return { status: "done", token: made.token, tokenId: made.id, accountId: row.account_id };
}

export async function deleteOldDevices(db: Database): Promise<void> {
  await sql`delete from device_sign_ins where expires_at <= now()`.execute(db);
}

const noSuchCode = () =>
  new RentalError("conflict", {
    message: "There is no such code: it is mistyped, was used, or has expired.",
    suggestion: "Compare it with the one that the command line shows, or run the command again.",
  });
