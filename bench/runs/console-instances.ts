// An account's list of 10,000 instances, as console.ts measures it.

import type { Stage } from "../bench.ts";
import type { ConsolePage } from "../browser/page.ts";
import type { Service } from "../service/service.ts";
import type { Customer } from "../worlds/customers.ts";
import { commitOf } from "./commits.ts";
import type { MeasuredPage } from "./console.ts";

const row = "main tbody tr:first-child";
const name = `${row} [data-primary] a`;
/** All rows are alike but for their names, so they come in the order of these, at first the newest one first. */
const [oldest, newest] = ["at-rest-1", "at-rest-10000"];

export function instancesPage({ service, owner }: Stage): MeasuredPage {
  if (owner === undefined) throw new Error("BUG: a world without instances at rest");
  return {
    path: "/instances",
    token: owner.token,
    firstRow: name,
    prepare: async () => {},
    complete: { selector: "main span[role=status]", text: "^10,000$" },
    sort: async (page) => {
      const header = page.page.getByRole("columnheader", { name: "Name" }).getByRole("button");
      const sortTo = (text: string) => page.response(() => header.click(), { selector: name, text: `^${text}$` });
      await sortTo(oldest);
      return [await sortTo(newest), await sortTo(oldest)];
    },
    filter: async (page) => {
      const field = page.page.getByLabel("Filter instances");
      await field.click();
      const typing = () => page.page.keyboard.type("at-rest-777", { delay: 100 });
      const time = await page.response(typing, { selector: name, text: "^at-rest-7779$" });
      const all = page.shown({ selector: name, text: `^${newest}$` });
      await field.clear();
      await all;
      return [time];
    },
    change: async (page) => {
      const times: number[] = [];
      // The last is its former name.
      for (const to of ["live-1", "live-2", newest]) times.push(await renamed(page, service, owner, to));
      return times;
    },
  };
}

/** Renames the instance in the first row: milliseconds from the commit until the name is painted. */
async function renamed(page: ConsolePage, service: Service, { token }: Customer, to: string): Promise<number> {
  const href = await page.page.locator(name).getAttribute("href");
  const instanceId = href?.split("/").at(-1) ?? "";
  const painted = page.shown({ selector: name, text: `^${to}$` });
  await service.call("PATCH", `/control/v1/instances/${instanceId}`, token, { name: to });
  // Each before the next one: it is the last event of this type.
  return (await painted) - (await commitOf(service, { instanceId, eventType: "instance.renamed" }));
}
