// The driver branch that an image needs, against those of the fabric managers of hosts: on a board with NVSwitch, the
// driver in the guest and the fabric manager of the host must be of one branch. Used by plan.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import type { Image } from "../catalog/image-store.ts";
import { invalid } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";

/**
 * The branch that hosts must have if they have a fabric manager; undefined: each. Throws RentalError invalid-parameters
 * if all hosts with GPUs of the type, in `region` (undefined: everywhere), have another one.
 */
export async function driverBranchOn(
  tx: Transaction,
  { name, driverBranch }: Image,
  { gpuModel }: InstanceType,
  region: string | undefined,
  field: string,
): Promise<string | undefined> {
  if (driverBranch === null || gpuModel === null) return undefined;
  const { rows } = await sql<{ branch: string | null }>`
    select distinct f.branch from gpu_pools p join hosts h on h.name = p.host left join gpu_fabrics f on f.host = p.host
    where p.model = ${gpuModel} and h.mode <> ${sql.lit(lostMode)}
      and (${region ?? null}::text is null or h.region = ${region ?? null}) order by 1`.execute(tx);
  const branches = rows.map(({ branch }) => branch);
  if (branches.length === 0 || branches.some((one) => one === null || one === driverBranch)) return driverBranch;
  const found = branches.join(", ");
  throw invalid(
    field,
    `The image ${name} needs driver branch ${driverBranch}; the fabric managers of hosts with ${gpuModel} have ${found}.`,
  );
}
