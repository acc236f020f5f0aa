// The reads of instances that interfaces have in common: what is found, and until when time alone leaves the answer as it
// is. How it is worded is each interface's own. Used by the interfaces whose reads of instances are kept.

import * as instances from "../../rental/instances/index.ts";
import type { Reading } from "./operations.ts";
import { byLaunch } from "./paging.ts";

type Read = Pick<Reading<never, never>, "db" | "service" | "principal" | "page" | "validUntil">;

/** The account's instances that the filter lets through, of the page that was asked for. Without `live` as in M and R. */
export function listedInstances(
  { db, service, principal, page, validUntil }: Read,
  filter: Pick<instances.InstanceFilter, "states" | "standings" | "region" | "tags"> &
    Partial<Pick<instances.InstanceFilter, "live">>,
): Promise<readonly instances.Instance[]> {
  return page(byLaunch, async (window) => {
    const { live = false } = filter;
    const there = await instances.list(db, service, principal, { ...window, ...filter, live });
    validUntil(instances.listedUntilMs(there, service.limits, { ...filter, live }));
    return there;
  });
}

/** One of the account's instances, `id` as the client wrote it. Throws RentalError unknown-object. */
export async function readInstance(
  { db, service, principal, validUntil }: Omit<Read, "page">,
  id: string,
): Promise<instances.Instance> {
  const instance = await instances.read(db, service, principal, id);
  validUntil(instances.readableUntilMs(instance, service.limits));
  return instance;
}
