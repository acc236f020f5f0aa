// The instance reads that interfaces share: what is found, and how long the response stays valid. Each interface has
// its own views. Used by the interfaces whose reads of instances are cached.

import type { Instance } from "../../rental/instances/instance.ts";
import {
  type InstanceFilter,
  list,
  listedUntilMs,
  read,
  readableUntilMs,
} from "../../rental/instances/instance-store.ts";
import type { Reading } from "./operations.ts";
import { byLaunch } from "./paging.ts";

type Read = Pick<Reading<never, never>, "db" | "service" | "principal" | "page" | "validUntil">;

/** One page of the account's instances that match the filter. Without `live` as in M and R. */
export function listedInstances(
  { db, service, principal, page, validUntil }: Read,
  filter: Pick<InstanceFilter, "states" | "standings" | "region" | "tags"> & Partial<Pick<InstanceFilter, "live">>,
): Promise<readonly Instance[]> {
  return page(byLaunch, async (window) => {
    const { live = false } = filter;
    const there = await list(db, service, principal, { ...window, ...filter, live });
    validUntil(listedUntilMs(there, service.limits, { ...filter, live }));
    return there;
  });
}

/** One of the account's instances, `id` as the client wrote it. Throws RentalError unknown-object. */
export async function readInstance(
  { db, service, principal, validUntil }: Omit<Read, "page">,
  id: string,
): Promise<Instance> {
  const instance = await read(db, service, principal, id);
  validUntil(readableUntilMs(instance, service.limits));
  return instance;
}
