// The order that an instance was launched with, for another one like it. Used by the control interface's launches.
//
// Invariant: its secrets go from one row to the other, and are in no response. What the customer may not have any more,
// such as a coupon or the labels of hosts, is not copied.

import type { Database } from "../../database/connect.ts";
import { isLive } from "../../rules/lifecycle.ts";
import { RentalError } from "../errors.ts";
import { exclusivelyAttached } from "../file-systems/file-systems.ts";
import { read } from "../instances/instance-store.ts";
import { openEnvVars } from "../instances/launch-secrets.ts";
import type { Principal, Service } from "../service.ts";
import type { LaunchOrder } from "./order.ts";

/**
 * The parts of the order. The region is the instance's. Its name and host name are copied only when it has ended, and file
 * systems that one instance at a time can have only when none has them. `id` as the client wrote it. Throws RentalError unknown-object.
 */
export async function orderLike(
  db: Database,
  service: Service,
  principal: Principal,
  id: string,
): Promise<Partial<LaunchOrder>> {
  const instance = await read(db, service, principal, id);
  const sealed = await db
    .selectFrom("instances")
    .select(["id", "env_vars_sealed", "user_data_id"])
    .where("id", "=", instance.id)
    .executeTakeFirst();
  // Its record was deleted since.
  if (sealed === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [id] });
  const mounts = instance.fileSystemMounts;
  const ids = mounts.map(({ fileSystemId }) => fileSystemId);
  const taken = mounts.length === 0 ? new Set() : await exclusivelyAttached(db, principal, ids);
  return {
    instanceType: instance.product.name,
    region: instance.region.name,
    image: { name: instance.image.name },
    sshKeyNames: instance.sshKeys.map(({ name }) => name),
    passwordWithoutKeys: instance.passwordSealed !== null,
    fileSystemMounts: mounts.filter(({ fileSystemId }) => !taken.has(fileSystemId)),
    firewallRulesetIds: instance.firewallRulesetIds,
    tags: instance.tags,
    command: instance.command ?? undefined,
    maxLifetimeSeconds: instance.maxLifetimeSeconds,
    idleRule: instance.idleRule ?? undefined,
    spot: instance.isSpot,
    envVars: openEnvVars(service.keyRing, sealed),
    // Up to a megabyte, which is neither read nor stored again.
    userDataId: sealed.user_data_id ?? undefined,
    ...(isLive[instance.state] ? {} : { name: instance.name, hostname: instance.hostname }),
  };
}
