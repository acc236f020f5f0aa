// Queries are read in linear time, only where an operation declares one, and only up to a number of parameters.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { mostParameters, parseQuery } from "./query.ts";

let world: World;
let http: RunningHttp;
let token: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  token = (await http.customer()).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const parameters = (count: number) => Array.from({ length: count }, (_, index) => `a${index}=1`).join("&");

describe("a query", () => {
  it("has at most 100 parameters; one more is a 400 that says so", async () => {
    const read = (count: number) => http.call("GET", `${http.marketplace}/instances?${parameters(count)}`, { token });
    expect((await read(mostParameters)).status).toBe(200);
    expect(await read(mostParameters + 1)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("more than 100 parameters") } },
    });
  });

  it("counts a parameter that is given again, and no empty ones", () => {
    expect(parseQuery(`/x?${"a&".repeat(mostParameters)}`)).toEqual({
      a: Array.from({ length: mostParameters }, () => ""),
    });
    expect(() => parseQuery(`/x?${"a&".repeat(mostParameters + 1)}`)).toThrow();
    expect(parseQuery(`/x?${"&".repeat(10_000)}a=b+c&a=%26&d`)).toEqual({ a: ["b c", "&"], d: "" });
  });

  it("is not looked at where no operation declares one", async () => {
    const odd = `${"a&".repeat(500)}%00=%zz`;
    expect((await http.call("GET", `${http.main}/healthz?${odd}`)).status).toBe(200);
    expect((await http.call("GET", `${http.direct}/gpu-inventory?${odd}`, { token })).status).toBe(200);
    const body = { name: world.fresh("key") };
    expect((await http.call("POST", `${http.reference}/ssh-keys?${odd}`, { token, body })).status).toBe(200);
  });
});

describe("a filter", () => {
  /** The lists of instances of all interfaces. */
  const lists = () => [
    `${http.marketplace}/instances`,
    `${http.direct}/instance`,
    `${http.reference}/instances`,
    `${http.lambda}/instances`,
    `${http.control}/instances`,
  ];
  const read = (list: string, query: string) => http.call("GET", `${list}?${query}`, { token });

  it("for a region that does not exist is a 400, also where a kept response knows the region", async () => {
    const name = world.fresh("region");
    await world.db.insertInto("regions").values({ name, description: "" }).execute();
    for (const list of lists()) {
      for (const _ of [1, 2]) expect((await read(list, `region=${name}`)).status, list).toBe(200);
    }
    await world.db.deleteFrom("regions").where("name", "=", name).execute();
    for (const list of lists()) {
      const { status, body } = await read(list, `region=${name}`);
      expect([status, body], list).toMatchObject([
        400,
        { field_errors: { region: { message: expect.stringContaining("no region named") } } },
      ]);
    }
  });

  it("in the brackets of lists is a 400 that says how it is written", async () => {
    for (const list of lists()) {
      for (const name of ["status[]", "status%5B%5D", "region[0]", "limit[]"]) {
        const { status, body } = await read(list, `${name}=active`);
        const shown = decodeURIComponent(name);
        expect([status, body], `${list}?${name}`).toMatchObject([
          400,
          {
            field_errors: {
              [shown]: { code: "global/invalid-parameters", message: expect.stringContaining("without brackets") },
            },
          },
        ]);
      }
    }
  });

  it("may have brackets in its value, and so may a parameter that no operation knows in its name", async () => {
    for (const list of lists()) {
      // The lambda edition rejects every filter that it does not know.
      const status = list.startsWith(http.lambda) ? 400 : 200;
      expect((await read(list, "other[]=1&sort[by]=name")).status, list).toBe(status);
    }
  });
});
