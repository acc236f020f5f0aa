// Evictions for a launch that waits, as settle.ts decides them: with its plan, which may be outdated, and what is chosen again
// on locked hosts. Used by evictor.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { WaitingLaunches } from "./beneficiaries.ts";
import type { ChosenHost } from "./choose-evictions.ts";
import { readFleet } from "./fleet.ts";
import { afterClaims, type CompareFor, choose, type Plan } from "./plan.ts";
import { type EvictionCase, idsOf } from "./settle.ts";

/** `compareFor`: the order in which a launch uses hosts. */
export function forLaunch(
  launches: WaitingLaunches,
  { beneficiary, before, chosen = [] }: Plan,
  compareFor: CompareFor,
): EvictionCase {
  const { id, position } = beneficiary;
  return {
    id,
    planned: idsOf(chosen),
    hosts: chosen.map(({ host }) => host.name),
    confirm: (tx, mustPass) => launches.confirm(tx, id, mustPass),
    // On these hosts; others may have become better, and nothing is lost by that.
    choose: async (tx, names) => {
      const hosts = (await readFleet(tx, names)).map((host) => afterClaims(host, before));
      return choose(beneficiary, hosts, before, compareFor) ?? [];
    },
    keep: (tx, choice) => earmark(tx, { id, position }, choice),
  };
}

/** Keeps the hosts for it, and no others: what is freed there is its own, also while GPUs are being reset. */
async function earmark(
  tx: Transaction,
  { id, position }: { readonly id: string; readonly position: number },
  choice: readonly ChosenHost[],
): Promise<void> {
  const names = choice.map(({ host }) => host.name);
  await sql`
    update hosts set earmarked_for = kept.id, earmark_position = kept.position, earmark_from = kept.since
    from (
      select h.name, case when h.name = any(${names}::text[]) then ${id}::uuid end as id,
        case when h.name = any(${names}::text[]) then ${position}::bigint end as position,
        case when h.name = any(${names}::text[]) then free.since end as since
      from hosts h, (select max(evict_at) as since from instances where id = any(${idsOf(choice)}::uuid[])) free
      where h.name = any(${names}::text[]) or h.earmarked_for = ${id}) kept
    where hosts.name = kept.name
      and (hosts.earmarked_for, hosts.earmark_from) is distinct from (kept.id, kept.since)`.execute(tx);
}
