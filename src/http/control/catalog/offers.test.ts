import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { recordObservation } from "../../../rental/instances/record-observation.ts";
import { costMicroCents } from "../../../rules/cost.ts";

interface Offer {
  instance_type: { name: string };
  available: number;
  regions: { name: string; description: string; available: number; offered: boolean }[];
}
interface Quote {
  fits: boolean;
  region_chosen: string | null;
  fits_in: { name: string; available: number }[];
}

let control: Control;
let ada: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  ada = await control.customer();
  const { world } = control;
  const small = { vcpus: 400, memoryGib: 4000, storageGb: 40_000 };
  await world.host({ name: "north-1", region: "north", gpus: 4, ...small });
  await world.host({ name: "north-2", region: "north", gpus: 8, ...small });
  await world.host({ name: "south-1", region: "south", gpus: 2, ...small });
  await control.data("PUT", "/regions/empty", { body: { description: "Nothing is here yet" } });
  await world.image({ name: "ubuntu", number: 7 });
  await world.product({ name: "gpu_1x", gpus: 1, priceCentsPerHour: 249 });
  await world.product({ name: "gpu_4x", gpus: 4, priceCentsPerHour: 1000 });
  await world.product({ name: "gpu_64x", gpus: 64, priceCentsPerHour: 9000 });
  await world.coupon({ code: "TENTH", discountBasisPoints: 1000 });
  await world.coupon({ code: "ODD", discountBasisPoints: 3333, instanceTypes: ["gpu_1x"] });
  await world.coupon({ code: "OFF", discountBasisPoints: 1000, active: false });
  await world.coupon({ code: "OLD", discountBasisPoints: 1000, deactivationDate: new Date("2020-01-01T00:00:00Z") });
});
afterAll(() => control.close());

const offers = async (query = "") =>
  (await control.data("GET", `/offers${query}`, { token: ada.token })) as readonly Offer[];
const offer = async (name: string) => (await offers()).find((one) => one.instance_type.name === name);
const quote = async (query: string) =>
  (await control.data("GET", `/quote?${query}`, { token: ada.token })) as Quote & Record<string, unknown>;
const ask = (query: string) => control.ask("GET", `/quote?${query}`, { token: ada.token });
const launch = (body: object) => control.ask("POST", "/instances", { token: ada.token, body });
/** As an engine says it when nothing of them is left: only that frees their room. */
async function remove(ids: readonly string[], principal = ada.principal): Promise<void> {
  if (ids.length === 0) return;
  const { world } = control;
  await world.change(principal, "terminate", ids);
  for (const id of ids) await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
}

describe("what can be rented", () => {
  it("is every product by name, with the room in each region, also where there is none", async () => {
    const all = await offers();
    expect(all.map(({ instance_type: { name } }) => name)).toEqual(["gpu_1x", "gpu_4x", "gpu_64x"]);
    expect(all[1]).toMatchObject({
      instance_type: { name: "gpu_4x", gpus: 4, price_cents_per_hour: 1000, architecture: "x86_64" },
      available: 3,
      regions: [
        { name: "empty", description: "Nothing is here yet", available: 0, offered: false },
        { name: "north", description: "The region north", available: 3, offered: true },
        { name: "south", description: "The region south", available: 0, offered: false },
      ],
    });
    expect(all[2]?.regions.map(({ available }) => available)).toEqual([0, 0, 0]);
  });

  it("is told apart: a region whose hosts are full, and one that lacks the GPU model", async () => {
    const taken = await control.world.launch(ada.principal, { instanceType: "gpu_1x", region: "south", quantity: 2 });
    expect((await offer("gpu_1x"))?.regions).toMatchObject([
      { name: "empty", available: 0, offered: false },
      { name: "north", offered: true },
      { name: "south", available: 0, offered: true },
    ]);
    await remove(taken.map(({ id }) => id));
    expect((await offer("gpu_64x"))?.regions.map(({ offered }) => offered)).toEqual([false, false, false]);
  });

  it("is fewer after a launch, and as many again when its instance is gone", async () => {
    const before = (await offer("gpu_1x"))?.available;
    const [instance] = await control.world.launch(ada.principal, { instanceType: "gpu_1x", region: "south" });
    expect(await offer("gpu_1x")).toMatchObject({ available: 13, regions: [{}, { available: 12 }, { available: 1 }] });
    await remove([instance?.id ?? ""]);
    expect((await offer("gpu_1x"))?.available).toBe(before);
  });

  it("is told page by page, with the same numbers", async () => {
    const pages = await control.pages("/offers", 2, { token: ada.token });
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat()).toEqual(await offers());
  });

  it("is what M's listing says", async () => {
    const listed = await control.call("GET", `${control.marketplace}/instance-types`, { token: ada.token });
    const { data } = listed.body as { data: Record<string, { capacity_available: number }> };
    const ours = (await offers()).map(({ instance_type: { name }, available }) => [name, available]);
    expect(ours).toEqual(Object.entries(data).map(([name, { capacity_available }]) => [name, capacity_available]));
  });
});

describe("a quote", () => {
  it("has the price of all of the quantity, per hour and per month, before and after the coupon", async () => {
    expect(await quote("instance_type=gpu_1x&quantity=3&coupon=TENTH&region=north")).toEqual({
      instance_type: "gpu_1x",
      region: "north",
      quantity: 3,
      spot: false,
      list_price_cents_per_hour: 249,
      coupon: { code: "TENTH", discount_percent: 10 },
      hourly: {
        before_discount: { cost_micro_cents: "747000000", cost_cents: "747.000000" },
        after: { cost_micro_cents: "672300000", cost_cents: "672.300000" },
      },
      monthly: {
        before_discount: { cost_micro_cents: "545310000000", cost_cents: "545310.000000" },
        after: { cost_micro_cents: "490779000000", cost_cents: "490779.000000" },
      },
      fits: true,
      region_chosen: "north",
      fits_in: [{ name: "north", description: "The region north", available: 12 }],
      returning: [],
      names_in_use: [],
    });
  });

  it("needs no more than a product, and is then for one of it, anywhere, at list price", async () => {
    const one = await quote("instance_type=gpu_4x");
    expect(one).toMatchObject({ region: null, quantity: 1, coupon: null, fits: true, region_chosen: "north" });
    expect(one.hourly).toMatchObject({ before_discount: { cost_cents: "1000.000000" } });
    const { before_discount, after } = one.hourly as Record<string, unknown>;
    expect(after).toEqual(before_discount);
    expect(await quote("instance_type=gpu_4x&region=any")).toEqual(one);
  });

  it("is what each of the instances is billed for an hour, to the micro-cent", async () => {
    const { hourly } = await quote("instance_type=gpu_1x&quantity=2&coupon=ODD");
    const each = costMicroCents({ priceCentsPerHour: 249, discountBasisPoints: 3333, seconds: 3600 });
    expect(hourly).toMatchObject({ after: { cost_micro_cents: String(2n * each) } });
  });

  it("tells where it would fit when there is no room where it was asked for", async () => {
    expect(await quote("instance_type=gpu_1x&quantity=3&region=south")).toMatchObject({
      region: "south",
      fits: false,
      region_chosen: null,
      fits_in: [{ name: "north", available: 12 }],
    });
    expect(await quote("instance_type=gpu_64x")).toMatchObject({ fits: false, region_chosen: null, fits_in: [] });
  });

  it("fits exactly where a launch goes through, in the region where that is then", async () => {
    for (const type of ["gpu_1x", "gpu_4x", "gpu_64x"]) {
      for (const region of ["any", "north", "south", "empty"]) {
        for (const quantity of [1, 2, 3, 4, 12, 13]) {
          const quoted = await quote(`instance_type=${type}&region=${region}&quantity=${quantity}`);
          const answer = await launch({ instance_type: type, region, quantity });
          const { data } = answer.body as { data?: { id: string; region: { name: string } }[] };
          const what = `${quantity} ${type} in ${region}: ${answer.text}`;
          expect(quoted.fits ? "fits" : codeOf(answer), what).toBe(
            quoted.fits ? "fits" : "instance-operations/launch/insufficient-capacity",
          );
          expect(data?.[0]?.region.name ?? null, what).toBe(quoted.region_chosen);
          await remove((data ?? []).map(({ id }) => id));
        }
      }
    }
  });

  it.each([
    ["an unknown product", "instance_type=gpu_9x", { instance_type: "gpu_9x" }],
    ["an unknown region", "instance_type=gpu_1x&region=mars", { instance_type: "gpu_1x", region: "mars" }],
    ["too many", "instance_type=gpu_1x&quantity=1000", { instance_type: "gpu_1x", quantity: 1000 }],
    ["an unknown coupon", "instance_type=gpu_1x&coupon=NONE", { instance_type: "gpu_1x", coupon: "NONE" }],
    ["an expired coupon", "instance_type=gpu_1x&coupon=OLD", { instance_type: "gpu_1x", coupon: "OLD" }],
    ["a coupon switched off", "instance_type=gpu_1x&coupon=OFF", { instance_type: "gpu_1x", coupon: "OFF" }],
    ["another's coupon", "instance_type=gpu_4x&coupon=ODD", { instance_type: "gpu_4x", coupon: "ODD" }],
  ])("is refused for %s in the words in which a launch is", async (_, query, body) => {
    const [quoted, launched] = [await ask(query), await launch(body)];
    const said = ({ body: answer }: typeof quoted) => {
      const { error, field_errors } = answer as { error: Record<string, unknown>; field_errors?: object };
      return { ...error, request_id: "", field_errors };
    };
    expect([quoted.status, said(quoted)]).toEqual([launched.status, said(launched)]);
    expect(quoted.status).toBe(400);
  });

  it.each([
    ["", "instance_type"],
    ["instance_type=gpu_1x&quantity=0", "quantity"],
    ["instance_type=gpu_1x&quantity=two", "quantity"],
    ["instance_type=gpu_1x&quantity=1.5", "quantity"],
  ])("is refused ?%s, naming the field", async (query, field) => {
    const answer = await ask(query);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it("points out names that live instances of the account have, as the launch would number them", async () => {
    const { token, principal } = await control.customer();
    const inUse = async (query: string, of = token) => {
      const { names_in_use } = (await control.data("GET", `/quote?instance_type=gpu_1x&${query}`, { token: of })) as {
        names_in_use: string[];
      };
      return names_in_use;
    };
    const named = (name: string, quantity = 1) =>
      control.data("POST", "/instances", { token, body: { instance_type: "gpu_1x", name, quantity } });
    await named("l");
    const [, second] = (await named("l", 2)) as { id: string }[];
    expect(await inUse("name=l")).toEqual(["l"]);
    expect(await inUse("name=l&quantity=3")).toEqual(["l-1", "l-2"]);
    expect(await inUse("name=l-2")).toEqual(["l-2"]);
    expect(await inUse("name=other")).toEqual([]);
    expect(await inUse("quantity=3")).toEqual([]);
    expect(await inUse("name=l", (await control.customer()).token)).toEqual([]);
    await control.world.change(principal, "terminate", [second?.id ?? ""]);
    expect(await inUse("name=l&quantity=3")).toEqual(["l-1"]);
    const all = (await control.data("GET", "/instances", { token })) as { id: string }[];
    await remove(
      all.map(({ id }) => id),
      principal,
    );
  });

  it("refuses what can be no name, in the words in which a launch does", async () => {
    const tooLong = "x".repeat(63);
    const [quoted, launched] = [
      await ask(`instance_type=gpu_1x&quantity=2&name=${tooLong}`),
      await launch({ instance_type: "gpu_1x", quantity: 2, name: tooLong }),
    ];
    expect([quoted.status, fieldsOf(quoted)]).toEqual([400, ["name"]]);
    expect([launched.status, fieldsOf(launched)]).toEqual([400, ["name"]]);
  });

  it("holds no room, and is given also to who may not launch so many", async () => {
    const before = await offers();
    expect((await quote("instance_type=gpu_1x&quantity=12")).fits).toBe(true);
    expect(await offers()).toEqual(before);
    const none = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0 };
    const poor = await control.customer(["read"]);
    await control.data("PATCH", `/accounts/${poor.principal.accountId}`, { body: { quotas: none } });
    expect((await control.ask("GET", "/quote?instance_type=gpu_1x", { token: poor.token })).status).toBe(200);
  });
});
