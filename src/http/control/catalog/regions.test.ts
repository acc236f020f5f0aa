import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { reserve } from "../../../../test/support/reservations.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

describe("putting a region", () => {
  it("creates it, and shows what it is", async () => {
    const region = { name: "north", description: "The north" };
    expect(await control.data("PUT", "/regions/north", { body: { description: "The north" } })).toEqual(region);
    expect(await control.data("GET", "/regions")).toContainEqual(region);
  });

  it("replaces it when it is there, and changes nothing when it is put again", async () => {
    await control.ask("PUT", "/regions/changing", { body: { description: "before" } });
    for (const _ of [1, 2]) {
      const data = await control.data("PUT", "/regions/changing", { body: { description: "after" } });
      expect(data).toEqual({ name: "changing", description: "after" });
    }
  });

  it("describes it by its name when no description is given", async () => {
    expect(await control.data("PUT", "/regions/plain", { body: {} })).toEqual({ name: "plain", description: "plain" });
  });

  it("ignores what it does not know", async () => {
    const body = { description: "x", name: "other", extra: { a: 1 } };
    expect(await control.data("PUT", "/regions/known", { body })).toEqual({ name: "known", description: "x" });
  });

  it.each([
    ["any", "name"],
    ["-a", "name"],
    [".a", "name"],
    ["a%20b", "name"],
    ["a%2Fb", "name"],
    ["%C3%A4", "name"],
    ["a%00", "name"],
    ["a".repeat(65), "name"],
  ])("refuses the name %s", async (name, field) => {
    const result = await control.ask("PUT", `/regions/${name}`, { body: {} });
    expect(result.status).toBe(400);
    expect(codeOf(result)).toBe("global/invalid-parameters");
    expect(fieldsOf(result)).toEqual([field]);
  });

  it.each([[{ description: 1 }], [{ description: null }], [{ description: "x".repeat(501) }]])(
    "refuses %j",
    async (body) => {
      const result = await control.ask("PUT", "/regions/bad", { body });
      expect(result.status).toBe(400);
      expect(fieldsOf(result)).toEqual(["description"]);
    },
  );

  it.each([["[]"], ['"x"'], ["3"], ["null"], [""], ["{"]])("refuses the body %s", async (body) => {
    expect((await control.ask("PUT", "/regions/bad", { body })).status).toBe(400);
  });

  it("takes names of every allowed shape", async () => {
    for (const name of ["a", "A-1_b.c", "0", "z".repeat(64)]) {
      expect(await control.data("PUT", `/regions/${name}`, { body: {} })).toMatchObject({ name });
    }
  });
});

describe("listing regions", () => {
  it("is by name, all at once or page by page", async () => {
    const all = await control.data("GET", "/regions");
    const names = (all as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const pages = await control.pages("/regions", 2);
    expect(pages.flat()).toEqual(all);
    expect(pages.length).toBe(Math.ceil(names.length / 2));
  });

  it.each([["limit=0"], ["limit=x"], ["limit=1001"], ["cursor=!"], ["cursor=AA"], ["limit=1&limit=2"]])(
    "refuses ?%s",
    async (query) => {
      expect((await control.ask("GET", `/regions?${query}`)).status).toBe(400);
    },
  );

  it("answers 304 to whom has it already", async () => {
    const first = await control.ask("GET", "/regions");
    const etag = first.headers.get("etag") ?? "";
    const again = await control.call("GET", `${control.url}/regions`, {
      token: control.operator.token,
      headers: { "if-none-match": etag },
    });
    expect(again.status).toBe(304);
  });
});

describe("deleting a region", () => {
  it("removes it", async () => {
    await control.ask("PUT", "/regions/gone", { body: {} });
    expect(await control.data("DELETE", "/regions/gone")).toEqual({});
    expect((await control.data("GET", "/regions")) as object[]).not.toContainEqual(
      expect.objectContaining({ name: "gone" }),
    );
  });

  it("answers 404 for one that is not there", async () => {
    const result = await control.ask("DELETE", "/regions/nowhere");
    expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
  });

  it("is refused while a host or a file system is in it", async () => {
    await control.world.host({ region: "with-host" });
    const result = await control.ask("DELETE", "/regions/with-host");
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    await control.data("PUT", "/regions/with-volume", { body: {} });
    await control.data("POST", "/file-systems", { body: { name: "v", region: "with-volume", size_gb: 1 } });
    expect((await control.ask("DELETE", "/regions/with-volume")).status).toBe(409);
  });

  it("is refused while a reservation that is not over is of it, also when its hosts are gone", async () => {
    const { world, operator } = control;
    const name = await world.host({ region: "reserved", gpus: 2 });
    const { name: instanceType } = await world.product();
    const { id } = await reserve(world, operator.principal, { instanceType, region: "reserved", from: 10, to: 20 });
    await sql`update hosts set mode = 'lost' where name = ${name}`.execute(world.db);
    await control.data("DELETE", `/hosts/${name}`);
    const result = await control.ask("DELETE", "/regions/reserved");
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    expect(result.text).toContain(`the reservation ${id}`);
    await control.data("POST", `/reservations/${id}/cancel`);
    expect(await control.data("DELETE", "/regions/reserved")).toEqual({});
  });
});
