// A machine's port as it is to be: with its security group, its floating address and our tag. Used by create.ts, and by
// start.ts for a machine that has lost it.

import type { MachineSpec } from "../engine.ts";
import type { Port } from "./api.ts";
import { type Cloud, type Region, withKnownIds } from "./cloud.ts";
import { giveFloatingAddress, makePort, onlyPort, tagPort } from "./network.ts";
import { securityGroup } from "./security-groups.ts";

/** The port, which is made if needed. Completes what an interrupted call has begun. Throws as Client.call, EngineError. */
export function completePort(cloud: Cloud, region: Region, spec: MachineSpec, signal: AbortSignal): Promise<Port> {
  return withKnownIds(cloud, async () => {
    const group = await securityGroup(cloud, region, spec.inbound, signal);
    const there = await onlyPort(cloud, region, spec.id, signal);
    const port = there ?? (await makePort(cloud, region, spec, group, signal));
    await giveFloatingAddress(cloud, region, port, signal);
    // Last: from here on it is listed.
    await tagPort(cloud, region, port, cloud.owner, signal);
    return port;
  });
}
