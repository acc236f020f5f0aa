// The conditions of NVSwitch partitions in SQL, of a row `p` of gpu_partitions. Used by what works on them (calls.ts), by
// what waits for it (waiting.ts), and by resets of GPUs (../resets.ts).

import { type RawBuilder, sql } from "kysely";

/** The fabric manager might have it active. */
export const mightBeActive: RawBuilder<boolean> = sql<boolean>`(p.active_for is not null or p.reported is not false)`;

/** The instance or the validation that has this GPU, a row `g` of gpus. */
export const holder: RawBuilder<string | null> = sql<string | null>`coalesce(g.instance_id, g.validation_id)`;

/**
 * It is to be deactivated: it is active for another one than wants it, or the fabric manager has it active, and it
 * belongs to none. Not while one uses its GPUs that has no partition of its own, such as an instance of before the
 * partitions were known.
 */
export const isToDeactivate: RawBuilder<boolean> = sql<boolean>`(
  (p.active_for is not null and p.active_for is distinct from p.wanted_for)
  or (p.active_for is null and p.reported is not false and not exists (
    select from gpus g where g.host = p.host and g.address = any(p.addresses) and ${holder} is not null
      and not exists (select from gpu_partitions o where o.host = p.host and o.wanted_for = ${holder}))))`;

/** It is to be activated, and no other partition might be active that has one of its GPUs. */
export const isToActivate: RawBuilder<boolean> = sql<boolean>`(p.wanted_for is not null
  and ((p.active_for is null and p.reported is false)
    or (p.active_for = p.wanted_for and p.reported is not true))
  and not exists (
    select from gpu_partitions o where o.host = p.host and o.id <> p.id and o.addresses && p.addresses
      and (o.active_for is not null or o.reported is not false)))`;

/** The one that wants it can use it: it is active for that one, and nothing contradicts that. */
export const isReady: RawBuilder<boolean> = sql<boolean>`(p.active_for = p.wanted_for and p.reported is true
  and exists (select from gpu_fabrics f where f.host = p.host and not f.read_due))`;
