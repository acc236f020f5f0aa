// Over HTTP: operators choose by labels on which hosts an instance may be placed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

interface Launched {
  id: string;
  host: string;
}

let control: Control;
let region: string;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  await world.image();
  await world.product({ name: "gpu", gpus: 1 });
});
afterAll(() => control.close());

/** A region of its own with a host of each rack, of four GPUs each; no other test's hosts have labels any more. */
async function racks(...names: readonly string[]): Promise<void> {
  const { world } = control;
  await world.db.updateTable("hosts").set({ labels: "{}" }).execute();
  ({ name: region } = await world.region(world.fresh("region")));
  for (const rack of names) {
    await world.host({ name: `${region}-${rack}`, region, gpus: 4 });
    await control.data("PATCH", `/hosts/${region}-${rack}`, { body: { labels: { rack } } });
  }
}

const order = (selector?: string, quantity = 1) => ({
  instance_type: "gpu",
  region,
  quantity,
  ...(selector !== undefined && { host_selector: selector }),
});
const launch = async (selector?: string, quantity?: number) =>
  (await control.data("POST", "/instances", { body: order(selector, quantity) })) as Launched[]; // documented so
const quote = (selector: string, quantity = 1) =>
  control.data(
    "GET",
    `/quote?${new URLSearchParams({ instance_type: "gpu", region, host_selector: selector, quantity: `${quantity}` })}`,
  );

describe("a launch with a host selector", () => {
  it("is placed on hosts with the labels only, as they are now", async () => {
    await racks("a", "b");
    const hosts = new Set((await launch("rack=b", 3)).map(({ host }) => host));
    expect([...hosts]).toEqual([`${region}-b`]);
    await control.data("PATCH", `/hosts/${region}-a`, { body: { labels: { rack: "b" } } });
    await control.data("PATCH", `/hosts/${region}-b`, { body: { labels: { rack: null } } });
    expect((await launch("rack=b")).map(({ host }) => host)).toEqual([`${region}-a`]);
    expect(await launch(undefined, 4)).toHaveLength(4);
  });

  it("is placed beside others that come at the same time, each on its own hosts", async () => {
    await racks("a", "b", "c");
    const wanted = ["rack=a", "rack=b", "rack=c", "rack=a", "rack=b", "rack=c"];
    const launched = await Promise.all(wanted.map((selector) => launch(selector)));
    expect(launched.map(([one]) => `rack=${one?.host.at(-1)}`)).toEqual(wanted);
  });

  it("has insufficient capacity where no host has the labels, or those are full", async () => {
    await racks("a", "b");
    for (const body of [order("rack=z"), order("rack=a", 5)]) {
      const refused = await control.ask("POST", "/instances", { body });
      expect([refused.status, codeOf(refused)]).toEqual([409, "instance-operations/launch/insufficient-capacity"]);
      expect(refused.text).toContain("on hosts with these labels");
    }
    expect(await launch(undefined, 8)).toHaveLength(8);
  });

  it("is rejected where the selector is none", async () => {
    const refused = await control.ask("POST", "/instances", { body: order("=x") });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ["host_selector"]]);
  });

  it("is forbidden for a token without the scope of operators, whatever the labels", async () => {
    await racks("a");
    const { token } = await control.customer();
    for (const selector of ["rack=a", "rack=z"]) {
      const refused = await control.ask("POST", "/instances", { body: order(selector), token });
      expect([refused.status, codeOf(refused)]).toEqual([403, "global/forbidden"]);
      const query = new URLSearchParams({ instance_type: "gpu", host_selector: selector });
      expect((await control.ask("GET", `/quote?${query}`, { token })).status).toBe(403);
    }
  });
});

describe("what is told before", () => {
  it("is a quote that counts only these hosts", async () => {
    await racks("a", "b");
    expect(await quote("rack=a", 4)).toMatchObject({ fits: true, region_chosen: region, fits_in: [{ available: 4 }] });
    expect(await quote("rack=a", 5)).toMatchObject({ fits: false, fits_in: [] });
    expect(await quote("rack", 8)).toMatchObject({ fits: true });
  });

  it("is an explanation of only these hosts", async () => {
    await racks("a", "b");
    await launch("rack=a", 4);
    const explained = (selector: string) =>
      control.data("GET", `/capacity?${new URLSearchParams({ instance_type: "gpu", region, selector })}`);
    const left = (hosts: number, fits: number) => [
      { regions: [{ hosts, filters: expect.arrayContaining([{ filter: "gpus-free", hosts_left: fits }]) }] },
    ];
    expect(await explained("rack=a")).toMatchObject(left(1, 0));
    expect(await explained("rack=b")).toMatchObject(left(1, 1));
    expect(await explained("rack")).toMatchObject(left(2, 1));
  });
});
