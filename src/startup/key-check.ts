// Notices at start, not at the first boot of a machine, that the encryption key is not the one this database was written
// with. A known word is sealed on the first start and opened on every later one.

import type { Database } from "../database/connect.ts";
import { CannotOpen, type KeyRing } from "../secrets/key-ring.ts";

const setting = "key-check";
const word = "lessor";

/** The key ring cannot open what is in the database; the message says what to do. */
export class WrongKey extends Error {
  override readonly name = "WrongKey";
}

/** Throws WrongKey. */
export async function checkKey(db: Database, keyRing: KeyRing): Promise<void> {
  const sealed = { name: setting, value: JSON.stringify(keyRing.seal(word, setting)) };
  await db
    .insertInto("settings")
    .values(sealed)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await db.selectFrom("settings").select("value").where("name", "=", setting).executeTakeFirstOrThrow();
  try {
    keyRing.open(String(stored.value), setting);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    throw new WrongKey(
      "The encryption key is not the one this database was written with. Set LESSOR_ENCRYPTION_KEY, or put the key file " +
        "back in the data directory (servers on one database share one key); without the old key, sealed passwords and env values cannot be read.",
      { cause: error },
    );
  }
}
