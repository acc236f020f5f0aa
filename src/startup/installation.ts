// The name of this installation: one for each database, made on its first start. Engines mark with it what they make, so
// that two services may share a cluster and neither takes the other's machines for its own leftovers.

import type { Database } from "../database/connect.ts";

const setting = "installation";

/** A UUID; the same in every server on this database. */
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
