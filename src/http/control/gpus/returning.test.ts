// GPUs that are being reset or validated, as customers and operators see them over the control interface.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../../../test/support/control.ts";
import { recordObservation } from "../../../rental/instances/record-observation.ts";

interface Returning {
  readonly gpus: number;
  readonly back_at: string | null;
}
interface Offer {
  readonly regions: readonly {
    readonly name: string;
    readonly available: number;
    readonly returning: readonly Returning[];
  }[];
}

let control: Control;
let token: string;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  await world.host({ name: "secret-host", region: "north", gpus: 2 });
  await world.host({ region: "south", gpus: 0 });
  await world.image();
  await world.product({ name: "gpu_2x", gpus: 2 });
  await world.product({ name: "cpu", gpus: 0 });
  ({ token } = await control.customer());
});
afterAll(() => control.close());

const offers = async () => (await control.data("GET", "/offers", { token })) as readonly Offer[];
const ofNorth = async () => {
  const regions = (await offers()).flatMap((offer) => offer.regions.filter(({ name }) => name === "north"));
  return regions.map(({ available, returning }) => [available, returning]);
};

/** An instance had both GPUs, and is gone. */
async function tenancy(): Promise<void> {
  const { world } = control;
  const customer = await control.customer();
  const { id } = await world.launchOne(customer.principal, { instanceType: "gpu_2x" });
  await world.change(customer.principal, "terminate", [id]);
  await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
}

describe("GPUs that an instance gave back", () => {
  it("are not told of with the policy none: they are free", async () => {
    await tenancy();
    expect(await ofNorth()).toEqual([
      [expect.any(Number), []],
      [1, []],
    ]);
    expect(await control.data("GET", "/quote?instance_type=gpu_2x", { token })).toMatchObject({
      fits: true,
      returning: [],
    });
  });

  it("are in offers, quotes and explanations, with about when they are back, and without their host", async () => {
    await sql`
      insert into gpu_times (gpu_id, kind, model, seconds) select id, 'reset', model, 150 from gpus`.execute(
      control.world.db,
    );
    await control.data("PUT", "/gpu-policies/H100", { body: { handover: "reset" } });
    await tenancy();
    const batch = { gpus: 2, back_at: expect.stringMatching(/:00\.000Z$/) };
    expect(await ofNorth()).toEqual([
      [expect.any(Number), []],
      [0, [batch]],
    ]);
    const [first] = (await offers()).flatMap(({ regions }) => regions.flatMap(({ returning }) => returning));
    const minutes = (Date.parse(first?.back_at ?? "") - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(2);
    expect(minutes).toBeLessThanOrEqual(3.5);
    const quoted = await control.ask("GET", "/quote?instance_type=gpu_2x", { token });
    expect(quoted.body).toMatchObject({ data: { fits: false, returning: [{ region: "north", ...batch }] } });
    expect(await control.data("GET", "/quote?instance_type=gpu_2x&region=south", { token })).toMatchObject({
      returning: [],
    });
    const { text } = await control.ask("GET", "/offers", { token });
    for (const told of [text, quoted.text]) expect(told).not.toContain("secret-host");

    const [explained] = (await control.data("GET", "/capacity?instance_type=gpu_2x&region=north")) as [object];
    expect(explained).toMatchObject({ regions: [{ region: "north", returning: [batch] }] });
    expect(await control.data("GET", "/capacity?instance_type=cpu&region=north")).toMatchObject([
      { regions: [{ returning: [] }] },
    ]);
    const { back_at } = batch;
    expect(await control.data("GET", "/gpus")).toMatchObject([
      { state: "sanitizing", back_at },
      { state: "sanitizing", back_at },
    ]);
    expect(await control.data("GET", "/hosts/secret-host")).toMatchObject({ gpus: [{ back_at }, { back_at }] });
  });

  it("are told of no more when they are quarantined, also where the response was cached", async () => {
    expect((await ofNorth())[1]).toMatchObject([0, [{ gpus: 2 }]]);
    const { address } = ((await control.data("GET", "/gpus")) as { address: string }[])[0] ?? { address: "" };
    const path = `/hosts/secret-host/gpus/${address}`;
    await control.data("POST", `${path}/quarantine`, { body: { reason: "XID 79" } });
    expect((await ofNorth())[1]).toMatchObject([0, [{ gpus: 1 }]]);
    await control.data("POST", `${path}/retest`);
    expect((await ofNorth())[1]).toMatchObject([0, [{ gpus: 2 }]]);
    await control.data("POST", "/hosts/secret-host/cordon");
    expect((await ofNorth())[1]).toEqual([0, []]);
  });
});
