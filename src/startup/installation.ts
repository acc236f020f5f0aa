// The id of this installation: one per database, created on its first start. Engines label their objects with it, so
// that two services can share a cluster and neither takes the other's machines for orphans.

import type { Database } from "../database/connect.ts";

const setting = "installation";

/** A UUID; the same in every replica on this database. */
export async function installationOf(db: Database): Promise<string> {
  await db
    .insertInto("settings")
    .values({ name: setting, value: JSON.stringify(crypto.randomUUID()) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", setting)
    .executeTakeFirstOrThrow();
  return String(value);
}
