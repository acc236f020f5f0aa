import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

const date = "2099-12-31T23:59:59.000Z";

let control: Control;
beforeAll(async () => {
  control = await startControl();
  await control.world.product({ name: "one" });
  await control.world.product({ name: "two" });
});
afterAll(() => control.close());

describe("putting a coupon", () => {
  it("creates it with every field, and a second time changes nothing", async () => {
    const body = { discount_percent: 12.5, deactivation_date: date, instance_types: ["two", "one"], active: false };
    for (const _ of [1, 2]) {
      expect(await control.data("PUT", "/coupons/SPRING", { body })).toEqual({ code: "SPRING", ...body });
    }
    expect(await control.data("GET", "/coupons")).toEqual([{ code: "SPRING", ...body }]);
  });

  it("takes an instance type that is named twice once", async () => {
    const body = { discount_percent: 10, deactivation_date: date, instance_types: ["two", "one", "two"] };
    const wanted = { instance_types: ["two", "one"] };
    expect(await control.data("PUT", "/coupons/TWICE", { body })).toMatchObject(wanted);
    expect(await control.data("GET", "/coupons")).toContainEqual(expect.objectContaining({ code: "TWICE", ...wanted }));
  });

  it("gives what is left out its default: for all, and switched on", async () => {
    expect(
      await control.data("PUT", "/coupons/ALL", { body: { discount_percent: 10, deactivation_date: date } }),
    ).toEqual({ code: "ALL", discount_percent: 10, deactivation_date: date, instance_types: [], active: true });
  });

  it("may be expired from the start", async () => {
    const body = { discount_percent: 25, deactivation_date: "2024-09-30T23:59:59.000Z" };
    expect(await control.data("PUT", "/coupons/OLD", { body })).toMatchObject(body);
  });

  it.each([[0.01], [0.07], [0.29], [1.1], [10], [12.34], [19.99], [33.33], [99.99], [100]])(
    "keeps %s per cent exactly",
    async (percent) => {
      const body = { discount_percent: percent, deactivation_date: date };
      expect(await control.data("PUT", "/coupons/EXACT", { body })).toMatchObject({ discount_percent: percent });
    },
  );

  it.each([
    ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.000Z"],
    ["2030-01-01T00:00:00.123456789Z", "2030-01-01T00:00:00.123Z"],
    ["2030-06-30T23:30:00+05:30", "2030-06-30T18:00:00.000Z"],
    ["2028-02-29T12:00:00-01:00", "2028-02-29T13:00:00.000Z"],
  ])("reads the moment %s", async (given, shown) => {
    const body = { discount_percent: 1, deactivation_date: given };
    expect(await control.data("PUT", "/coupons/WHEN", { body })).toMatchObject({ deactivation_date: shown });
  });

  it.each(["!", "a/b", "50%OFF", "x".repeat(64), "#?&", "~"])("takes the code %s", async (code) => {
    const body = { discount_percent: 1, deactivation_date: date };
    const path = `/coupons/${encodeURIComponent(code)}`;
    expect(await control.data("PUT", path, { body })).toMatchObject({ code });
    expect(await control.data("DELETE", path)).toEqual({});
  });

  it.each(["a b", "ä", "\t", "x".repeat(65)])("refuses the code %j", async (code) => {
    const body = { discount_percent: 1, deactivation_date: date };
    const result = await control.ask("PUT", `/coupons/${encodeURIComponent(code)}`, { body });
    expect([result.status, fieldsOf(result)]).toEqual([400, ["code"]]);
  });

  it.each([
    [{ deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 0, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: -5, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 100.01, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 10.005, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 0.1 + 0.2, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 1e-9, deactivation_date: date }, "discount_percent"],
    [{ discount_percent: "10", deactivation_date: date }, "discount_percent"],
    [{ discount_percent: 10 }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: 1_900_000_000 }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "tomorrow" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-01" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-01T00:00:00" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-02-30T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2029-02-29T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-13-01T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-00-10T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-00T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-01T24:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-01T23:59:60Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "2030-01-01T00:00:00+99:99" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "0001-01-01T00:00:00Z" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: "9999-12-31T23:59:59-12:00" }, "deactivation_date"],
    [{ discount_percent: 10, deactivation_date: date, instance_types: "one" }, "instance_types"],
    [{ discount_percent: 10, deactivation_date: date, instance_types: Array(1001).fill("one") }, "instance_types"],
    [{ discount_percent: 10, deactivation_date: date, instance_types: [{}] }, "instance_types.0"],
    [{ discount_percent: 10, deactivation_date: date, active: 1 }, "active"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("PUT", "/coupons/BAD", { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
  });

  it("is refused for an instance type that does not exist", async () => {
    const body = { discount_percent: 10, deactivation_date: date, instance_types: ["one", "three"] };
    const result = await control.ask("PUT", "/coupons/BAD", { body });
    expect([result.status, codeOf(result)]).toEqual([400, "global/object-does-not-exist"]);
    expect(fieldsOf(result)).toEqual(["instance_types"]);
    expect(result.text).toContain('\\"three\\"');
  });
});

describe("listing and deleting coupons", () => {
  it("is by code, page by page", async () => {
    const all = await control.data("GET", "/coupons");
    expect((await control.pages("/coupons", 1)).flat()).toEqual(all);
  });

  it("answers 404 for one that is not there", async () => {
    const result = await control.ask("DELETE", "/coupons/NONE");
    expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
  });
});
