// What triggers would have written where a test changes everything with triggers off: answers that servers keep
// (rental/freshness.ts) are of another world now.

import { sql } from "kysely";

/** One statement. */
export const everythingChanged = sql`
  with accounts_changed as (
    insert into public.account_changes (account_id) select id from public.accounts on conflict do nothing)
  insert into public.catalog_changes default values on conflict do nothing`;
