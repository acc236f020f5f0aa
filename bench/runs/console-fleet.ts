// The fleet of 10,000 hosts, as console.ts measures it: the map, and for sorting the table.

import type { Stage } from "../bench.ts";
import type { ConsolePage } from "../browser/page.ts";
import { operatorToken, type Service } from "../service/service.ts";
import { productName, regions } from "../worlds/catalog.ts";
import { type Customer, marketplace } from "../worlds/customers.ts";
import { commitOf } from "./commits.ts";
import type { MeasuredPage } from "./console.ts";

const tile = "main section:first-of-type li:first-child [data-tile]";
const row = "main tbody tr:first-child [data-primary]";
const [first, last] = ["host-00000", "host-09999"];
/** What a tile says to screen readers. */
const wordsOf = (host: string) => `[data-tile][title="${host}"] > .hidden`;

export function fleetPage({ service, customers: [customer] }: Stage): MeasuredPage {
  if (customer === undefined) throw new Error("BUG: a world without customers");
  let host = "";
  return {
    path: "/operator/fleet",
    token: operatorToken,
    // One instance, so that the next ones are placed beside it.
    prepare: async () => {
      ({ host } = await launchOne(service, customer));
    },
    firstRow: tile,
    complete: { selector: "main p[role=status]", text: "^10,000 of 10,000 hosts$" },
    sort: async (page) => {
      const view = (title: string) => page.page.getByText(title, { exact: true }).click();
      await view("Table");
      const header = page.page.getByRole("columnheader", { name: "Host" }).getByRole("button");
      const sortTo = (text: string) => page.response(() => header.click(), { selector: row, text: `^${text}$` });
      await header.click();
      const times = [await sortTo(last), await sortTo(first)];
      await view("Map");
      await page.shown({ selector: tile });
      return times;
    },
    filter: async (page) => {
      const field = page.page.getByLabel("Find hosts");
      await field.click();
      const typing = () => page.page.keyboard.type("host-0077", { delay: 100 });
      const time = await page.response(typing, { selector: `${tile}[title="host-00770"]` });
      const all = page.shown({ selector: `${tile}[title="${first}"]` });
      await field.clear();
      await all;
      return [time];
    },
    change: async (page) => {
      const before = await freeOn(page, host);
      const launches: Launched[] = [];
      for (const number of [1, 2]) launches.push(await launched(page, service, customer, host, before - number));
      const freed = page.shown({ selector: wordsOf(host), text: `^${before} free` });
      for (const { instanceId } of launches)
        await service.call("POST", `/control/v1/instances/${instanceId}/terminate`, customer.token, {});
      await freed;
      return launches.map(({ ms }) => ms);
    },
  };
}

async function launchOne(service: Service, { token }: Customer): Promise<{ id: string; host: string }> {
  const order = { instance_type_name: productName("model-0", 1), region_name: regions[0], ssh_key_names: [] };
  const path = `${marketplace}/instance-operations/launch`;
  const made = (await service.call("POST", path, token, { ...order, quantity: 1 })) as { uuids: [string] }; // documented so
  const [id] = made.uuids;
  const [row] = await service.query<{ host: string }>("select host from instances where id = $1", [id]);
  if (row === undefined) throw new Error("BUG: an instance without a host");
  return { id, host: row.host };
}

/** How many GPUs of the host are free, as the page says. */
async function freeOn(page: ConsolePage, host: string): Promise<number> {
  const words = await page.page.locator(wordsOf(host)).textContent();
  return Number.parseInt(words ?? "", 10);
}

interface Launched {
  readonly instanceId: string;
  /** From the commit until its GPU was painted as taken. */
  readonly ms: number;
}

/** Launches one instance on the host, which then has this many free GPUs. */
async function launched(
  page: ConsolePage,
  service: Service,
  customer: Customer,
  host: string,
  free: number,
): Promise<Launched> {
  const painted = page.shown({ selector: wordsOf(host), text: `^${free} free` });
  const made = await launchOne(service, customer);
  if (made.host !== host) throw new Error(`an instance was placed on ${made.host} instead of ${host}`);
  const paintedAt = await painted;
  return {
    instanceId: made.id,
    ms: paintedAt - (await commitOf(service, { instanceId: made.id, eventType: "instance.booting" })),
  };
}
