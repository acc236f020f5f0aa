// Whether the fleet could ever serve a waiting launch: one that is larger than all hosts of its region together, or that no
// host could have, holds nothing, or it would keep everyone behind it off for as long as it waits; and it is told so. Used
// by begin-wait.ts and not-placed.ts. When the fleet grows, triggers have it tried again (migrations 0041 and 0046).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import { blockerMeanings } from "../../rules/waiting-launches.ts";
import { within } from "../capacity/host-lock.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import type { Blocked } from "./blockers.ts";
import type { LaunchLine } from "./launch-line.ts";

/** `blocked`, unless it is capacity that the hosts do not have even if they are empty. */
export async function orByFleet(
  tx: Transaction,
  blocked: Blocked,
  line: LaunchLine,
  quantity: number,
): Promise<Blocked> {
  if (blocked.by !== "capacity") return blocked;
  const most = await mostOf(tx, line);
  return most >= quantity ? blocked : { by: "fleet", message: fleetMessage(line, most) };
}

/** `most` of its instances would fit if all hosts were empty. */
function fleetMessage({ instanceType, region, bound }: LaunchLine, most: number): string {
  if (most > 0) return blockerMeanings.fleet;
  const where = region === undefined ? "" : ` in region ${region}`;
  const labels = bound?.labels === undefined ? "" : " with these labels";
  return `There is no host${labels} for ${instanceType}${where}: none could have it, even if it were empty. It waits until one is added.`;
}

/** How many of its instances fit into one region whose hosts are empty. Hosts that are lost have no capacity. */
async function mostOf(tx: Transaction, { instanceType, region, bound }: LaunchLine): Promise<number> {
  const product = (await ask(tx, instanceTypesNamed(tx, [instanceType]))).get(instanceType);
  if (product === undefined) return 0;
  const { gpuModel, gpus, vcpus, memoryGib, storageGb } = product;
  const { rows } = await sql<{ most: number }>`
    select coalesce(max(fit), 0)::integer as most from (
      select sum(least(h.vcpus / nullif(${vcpus}::integer, 0), h.memory_gib / nullif(${memoryGib}::integer, 0),
        h.storage_gb / nullif(${storageGb}::integer, 0), case when ${gpus}::integer > 0 then coalesce((
          select p.total / ${gpus}::integer from gpu_pools p where p.host = h.name and p.model = ${gpuModel}), 0) end)) as fit
      from hosts h where h.mode <> ${sql.lit(lostMode)} and ${within(bound)} and (${region ?? null}::text is null or h.region = ${region ?? null})
      group by h.region) regions`.execute(tx);
  return rows[0]?.most ?? 0;
}
