// The reads of instances that interfaces have in common: what is found, and until when time alone leaves the answer as it
// is. How it is worded is each interface's own. Used by the interfaces whose reads of instances are kept.

import * as instances from "../rental/instances/index.ts";
import type { Reading } from "./operations.ts";
import { byLaunch } from "./paging.ts";

type Read = Pick<Reading<never, never>, "db" | "service" | "tenant" | "page" | "validUntil">;

/** The account's instances that the filter lets through, of the page that was asked for: those of the lists of M and R. */
export function listedInstances(
  { db, service, tenant, page, validUntil }: Read,
  filter: Pick<instances.InstanceFilter, "states" | "standings" | "region" | "tags">,
): Promise<readonly instances.Instance[]> {
  return page(byLaunch, async (window) => {
    const there = await instances.list(db, service, tenant, { ...window, ...filter, live: false });
    validUntil(instances.listedUntilMs(there, service.limits, filter));
    return there;
  });
}

/** One of the account's instances, `id` as the client wrote it. Throws RentalError unknown-object. */
export async function readInstance(
  { db, service, tenant, validUntil }: Omit<Read, "page">,
  id: string,
): Promise<instances.Instance> {
  const instance = await instances.read(db, service, tenant, id);
  validUntil(instances.readableUntilMs(instance, service.limits));
  return instance;
}
