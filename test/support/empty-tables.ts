// Empties a database between two tests (world.ts, stage.ts): a new one would take longer.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { behind } from "../../src/database/round-trips.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { everythingChanged } from "./marks.ts";
import { untriggeredOf } from "./untriggered.ts";

/**
 * Nothing is in the tables of this schema any more. In one round trip: this comes before each of thousands of tests.
 * Without triggers, and so without foreign keys: closed months refuse to be deleted, and the order does not matter.
 */
export async function emptyTables(db: Database, schema: "public" | "simulated"): Promise<void> {
  const untriggered = untriggeredOf(db);
  if (untriggered === undefined) throw new Error("BUG: only a database that tests made is emptied");
  await inTransaction(untriggered, async (tx) => {
    await behind(sql.raw(emptyAll(schema))).execute(tx);
    if (schema === "public") await behind(everythingChanged).execute(tx);
  });
}

/** Those tables that have a page: most never had a row. */
const emptyAll = (schema: string) => `do $$
  declare name text;
  begin
    for name in select relname from pg_class
      where relkind = 'r' and relnamespace = '${schema}'::regnamespace and relname <> 'schema_migrations'
        and pg_relation_size(oid) > 0
    loop
      execute format('delete from ${schema}.%I', name);
    end loop;
  end $$`;
