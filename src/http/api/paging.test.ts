import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { byId, byName, nextLink, takePage } from "./paging.ts";

describe("a page", () => {
  const all = ["a", "b", "c"].map((name) => ({ name }));
  const fetch = async ({ after, limit }: { after?: string | undefined; limit?: number | undefined }) =>
    all.filter(({ name }) => after === undefined || name > after).slice(0, limit);

  it("is everything without a limit", async () => {
    expect(await takePage({}, byName, fetch)).toEqual({ entries: all, next: undefined });
  });

  it("leads to the next until there is none", async () => {
    const first = await takePage({ limit: 2 }, byName, fetch);
    expect(first.entries).toHaveLength(2);
    const second = await takePage({ limit: 2, cursor: first.next }, byName, fetch);
    expect(second).toEqual({ entries: [{ name: "c" }], next: undefined });
  });

  it("that ends exactly at the limit is the last", async () => {
    expect((await takePage({ limit: 3 }, byName, fetch)).next).toBeUndefined();
  });

  it.each(["", "!", "YQ==", "YR", "AA", "_w"])("refuses the cursor %j", async (cursor) => {
    await expect(takePage({ limit: 1, cursor }, byId, async () => [])).rejects.toMatchObject({
      kind: "invalid-parameters",
    });
  });

  it("is linked to with the other parameters kept", () => {
    expect(nextLink("/p/instances?limit=2&status=active&cursor=old", "bmV3")).toBe(
      '</p/instances?limit=2&status=active&cursor=bmV3>; rel="next"',
    );
  });
});

describe("lists", () => {
  let world: World;
  let http: RunningHttp;
  let token: string;
  let ids: string[];

  beforeAll(async () => {
    world = await makeWorld();
    http = await startHttp(world);
    const customer = await http.customer();
    token = customer.token;
    await world.host({ gpus: 8 });
    await world.host({ gpus: 8, region: "south" });
    await world.image();
    const { name } = await world.product();
    const made = [
      ...(await world.launch(customer.principal, { instanceType: name, quantity: 3, region: "north" })),
      ...(await world.launch(customer.principal, { instanceType: name, quantity: 2, region: "south" })),
    ];
    ids = made.map(({ id }) => id);
    await world.put(ids[0] ?? "", "stopping");
  });
  afterAll(async () => {
    await http?.close();
    await world?.close();
  });

  const idsOf = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id);

  it("are walked through by following their links", async () => {
    const seen: string[] = [];
    let url: string | undefined = `${http.marketplace}/instances?limit=2`;
    while (url !== undefined) {
      const { body, headers } = await http.call("GET", url, { token });
      seen.push(...idsOf(body));
      const next = /^<(\/api\/vm_marketplace\/instances\?[^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      url = next === undefined ? undefined : http.main + next;
    }
    expect(seen).toEqual(ids);
  });

  it("are filtered by region and by the variant's own words", async () => {
    const get = async (base: string, query: string) =>
      idsOf((await http.call("GET", `${base}/instances?${query}`, { token })).body).length;
    expect(await get(http.marketplace, "region=south")).toBe(2);
    expect(await get(http.marketplace, "status=active")).toBe(1);
    expect(await get(http.reference, "status=active")).toBe(0);
    expect(await get(http.reference, "status=stopping&region=north")).toBe(1);
  });

  it("of D know only rented ones", async () => {
    const get = async (query: string) => (await http.call("GET", `${http.direct}/instance?${query}`, { token })).body;
    expect(await get("status=rented")).toMatchObject({ runningInstances: { length: 5 } });
    expect(await get("status=terminated")).toEqual({ runningInstances: [] });
  });

  it.each([
    "limit=0",
    "limit=1001",
    "limit=1e2",
    "limit=-1",
    "limit=",
    "limit=2&limit=3",
    "cursor=x",
    "status=rented",
    "status=",
  ])("refuse ?%s", async (query) => {
    const { status, body } = await http.call("GET", `${http.marketplace}/instances?${query}`, { token });
    expect(status).toBe(400);
    expect(Object.keys((body as { field_errors: object }).field_errors)).toEqual([query.split("=")[0]]);
  });

  it("say which words they know", async () => {
    const { text } = await http.call("GET", `${http.marketplace}/instances?status=rented`, { token });
    expect(text).toContain("Must be one of: booting, active, stopped, terminated.");
  });

  it("say of a parameter that is given twice that it is", async () => {
    const { text } = await http.call("GET", `${http.marketplace}/instances?status=active&status=active`, { token });
    expect(text).toContain("Must be given once.");
  });

  it("have a tag for their bytes, and answer 304 to who has them", async () => {
    const url = `${http.marketplace}/instances`;
    const first = await http.call("GET", url, { token });
    const etag = first.headers.get("etag") ?? "";
    for (const header of [etag, `"other", W/${etag}`, "*"]) {
      const again = await http.call("GET", url, { token, headers: { "if-none-match": header } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const stale = await http.call("GET", url, { token, headers: { "if-none-match": '"other"' } });
    expect([stale.status, stale.text]).toEqual([200, first.text]);
  });
});
