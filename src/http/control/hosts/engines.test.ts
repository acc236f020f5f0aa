import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../../../test/support/control.ts";
import { recordResync } from "../../../rental/capacity/engine-health.ts";

let control: Control;
let ada: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  ada = await control.customer();
  const { world } = control;
  await world.host({ name: "one", gpus: 2, vcpus: 100, memoryGib: 1000, storageGb: 10_000 });
  await world.image();
  await world.product({ name: "gpu", gpus: 1 });
});
afterAll(() => control.close());

describe("the engines", () => {
  it("are told with what they are, what they have and how their last sweep went", async () => {
    const { world } = control;
    await world.host({ name: "left-behind", engine: "old-cluster", gpus: 0 });
    await recordResync(world.db, "simulated", null);
    await recordResync(world.db, "simulated", "Host one does not answer.");
    expect(await control.data("GET", "/engines")).toEqual([
      {
        name: "old-cluster",
        kind: null,
        hosts: 1,
        hosts_available: 1,
        hosts_cordoned: 0,
        instances: 0,
        instances_unreachable: 0,
        last_sweep_at: null,
        last_sweep_error: null,
        last_good_sweep_at: null,
      },
      {
        name: "simulated",
        kind: "simulated",
        hosts: 1,
        hosts_available: 1,
        hosts_cordoned: 0,
        instances: 0,
        instances_unreachable: 0,
        last_sweep_at: expect.any(String),
        last_sweep_error: "Host one does not answer.",
        last_good_sweep_at: expect.any(String),
      },
    ]);
    const pages = await control.pages("/engines", 1);
    expect(pages.flat()).toEqual(await control.data("GET", "/engines"));
  });
});

describe("a fleet map", () => {
  it("sees on each GPU the state of the instance that holds it", async () => {
    const { world } = control;
    const { id } = await world.launchOne(ada.principal, { instanceType: "gpu" });
    const held = async () => {
      const { gpus } = (await control.data("GET", "/hosts/one")) as {
        gpus: { held_by: string | null; holder_status: string | null }[];
      };
      return gpus.map(({ held_by, holder_status }) => [held_by, holder_status]).sort();
    };
    expect(await held()).toEqual(
      [
        [id, "booting"],
        [null, null],
      ].sort(),
    );
    await world.put(id, "active");
    expect(await held()).toEqual(
      [
        [id, "active"],
        [null, null],
      ].sort(),
    );
    const listed = (await control.data("GET", "/hosts")) as { name: string }[];
    expect(listed.find(({ name }) => name === "one")).toEqual(await control.data("GET", "/hosts/one"));
  });
});

describe("instances in trouble", () => {
  it("are found by operators, with what is the matter and why", async () => {
    const { world } = control;
    const { id } = await world.launchOne(ada.principal, { instanceType: "gpu" });
    await sql`
      update instances set attempts = 4, progress = 'retrying: the host does not respond'
      where id = ${id}`.execute(world.db);
    const found = await control.data("GET", "/instances?troubled=true");
    const reason = "retrying: the host does not respond";
    expect(found).toMatchObject([{ id, trouble: { kind: "tried-again", reason, since: expect.any(String) } }]);
    expect(found).toHaveLength(1);
    const others = (await control.data("GET", "/instances?troubled=false")) as { id: string; trouble: unknown }[];
    expect(others.map((one) => one.id)).not.toContain(id);
    for (const { trouble } of others) expect(trouble).toBeNull();
    expect(await control.data("GET", "/instances?troubled=true&status=active")).toEqual([]);
  });

  it("are shown to their account without what only operators see", async () => {
    const found = (await control.data("GET", "/instances?troubled=true", { token: ada.token })) as object[];
    expect(found).toHaveLength(1);
    expect(found[0]).not.toHaveProperty("trouble");
    const eve = await control.customer();
    expect(await control.data("GET", "/instances?troubled=true", { token: eve.token })).toEqual([]);
  });

  it("are asked for by true or false and nothing else", async () => {
    for (const word of ["yes", "1", ""])
      expect((await control.ask("GET", `/instances?troubled=${word}`)).status).toBe(400);
  });
});
