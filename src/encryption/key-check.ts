// Detects at start, not at the first boot of an instance, that the encryption keys are not those of this database.
// Checks two things: a known word, encrypted with the key that became current last; and the list of keys in use, which
// detects also that only some rows have another key.

import { sql } from "kysely";
import type { Transaction } from "../database/connect.ts";
import { CannotOpen, type KeyRing, keyIdOf } from "../secrets/key-ring.ts";
import { keyIdsInRows } from "./count.ts";

const setting = "key-check";
const word = "lessor";

/** The keys of this replica do not fit the database, or those of the running replicas; the message has the fix. */
export class WrongKey extends Error {
  override readonly name = "WrongKey";
}

/** Throws WrongKey. On a database without encrypted values, records nothing: `noteKeyInUse` does. */
export async function checkKey(tx: Transaction, keyRing: KeyRing): Promise<void> {
  const stored = await tx.selectFrom("settings").select("value").where("name", "=", setting).executeTakeFirst();
  try {
    if (stored !== undefined) keyRing.open(String(stored.value), setting);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    const needed = keyIdOf(String(stored?.value));
    throw new WrongKey(
      `The encryption key is not the one this database was written with (${needed}). ` +
        "Set LESSOR_ENCRYPTION_KEY, or put the key file " +
        "back in the data directory (replicas on one database share one key). Without the old key, encrypted passwords and env values cannot be read.",
      { cause: error },
    );
  }
  await noteFormerKeys(tx, stored === undefined ? [] : [keyIdOf(String(stored.value))]);
  const missing = (await keysInUse(tx)).filter((id) => !keyRing.canOpen(id));
  if (missing.length === 0) return;
  throw new WrongKey(
    `Encryption ${missing.length === 1 ? "key" : "keys"} ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing: ` +
      "values in this database are encrypted with it. Put it back, after the current one, in LESSOR_ENCRYPTION_KEY or the " +
      "key file. Remove it only when `lessor keys encryption` shows no values of it.",
  );
}

/** The ids of the keys that values may be encrypted with. */
export async function keysInUse(tx: Transaction): Promise<string[]> {
  const rows = await tx.selectFrom("sealing_keys").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Records, before its first use, that this key of the ring is in use; replicas without it no longer start. */
export async function noteKeyInUse(tx: Transaction, keyId: string, keyRing: KeyRing): Promise<void> {
  await tx
    .insertInto("sealing_keys")
    .values({ id: keyId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const value = JSON.stringify(keyRing.sealWith(keyId, word, setting));
  await tx
    .insertInto("settings")
    .values({ name: setting, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** Records that values are encrypted only with these. */
export async function keepOnly(tx: Transaction, keyIds: readonly string[]): Promise<void> {
  await sql`delete from sealing_keys where id <> all(${[...keyIds]}::text[])`.execute(tx);
}

/** A database from before the list existed is scanned once. */
async function noteFormerKeys(tx: Transaction, others: readonly string[]): Promise<void> {
  if ((await keysInUse(tx)).length > 0) return;
  const ids = new Set([...(await keyIdsInRows(tx)), ...others]);
  if (ids.size === 0) return;
  await tx
    .insertInto("sealing_keys")
    .values([...ids].map((id) => ({ id })))
    .execute();
}
