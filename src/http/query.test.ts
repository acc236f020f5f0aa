// Queries are read in linear time, only where an operation declares one, and only up to a number of parameters.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../test/support/http.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
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
