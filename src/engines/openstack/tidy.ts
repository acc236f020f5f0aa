// Removes what interrupted calls, late ones and others have left in the cloud. Used by engine.ts with each list.
//
// Invariant: it never fails. What it could not remove is found again by the next list, and a list says that the cloud works.

import type { Cloud, Region } from "./cloud.ts";
import type { RegionListing } from "./list.ts";
import { removeLeftAddresses } from "./network.ts";
import { forgetSecrets } from "./secrets.ts";
import { removeUnused } from "./security-groups.ts";
import { removeExtra } from "./start.ts";
import type { Strays } from "./strays.ts";

/** A security group that a create is about to use is made again by it (`withKnownIds`). */
export async function tidy(
  cloud: Cloud,
  region: Region,
  { extras, told, groups }: Pick<RegionListing, "extras" | "told" | "groups">,
  strays: Strays,
  signal: AbortSignal,
): Promise<void> {
  const works = [
    ...extras.map((extra) => () => removeExtra(cloud, region, extra, signal)),
    ...told.map((server) => () => forgetSecrets(cloud, region, server, signal)),
    () => removeUnused(cloud, region, ({ id }) => !groups.has(id), signal),
    () => removeLeftAddresses(cloud, region, signal),
    () => strays.remove(cloud, region, signal),
  ];
  for (const work of works) await work().catch(() => {});
}
