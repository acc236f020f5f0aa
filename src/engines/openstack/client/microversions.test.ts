import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginCloud, type SmallCloud } from "../../../../test/support/small-cloud.ts";
import { Unsuitable } from "./api-error.ts";
import type { ServiceType } from "./catalog.ts";

const call = (cloud: SmallCloud, client = cloud.client()) => ({
  client,
  ask: (service: ServiceType) => client.call({ service, region: undefined }, "/things", {}, signal()),
});

async function begin() {
  const cloud = await beginCloud();
  cloud.answer("GET", /things$/, { body: {} });
  return { cloud, ...call(cloud) };
}

describe("the version that requests ask for", () => {
  it("is the one that Lessor is written for, where the service has it, and none where services have none", async () => {
    const { cloud, ask } = await begin();
    for (const service of ["compute", "network", "image", "placement", "volume"] as const) await ask(service);
    expect(cloud.seen.map(({ path, headers }) => [path, headers["openstack-api-version"]])).toEqual([
      ["/compute/v2.1/things", "compute 2.90"],
      ["/network/v2.0/things", undefined],
      ["/image/v2/things", undefined],
      ["/placement/things", "placement 1.36"],
      ["/volume/v3/p1/things", "volume 3.59"],
    ]);
  });

  it("is the newest of a service that is older, compared as numbers", async () => {
    const { cloud, ask } = await begin();
    cloud.answer("GET", /^\/compute\/v2\.1\/$/, { body: { version: { min_version: "2.1", version: "2.79" } } });
    const versions = [{ id: "v2", version: "" }, { version: "3.7" }];
    cloud.answer("GET", /^\/volume\/v3\/$/, { body: { versions } });
    await ask("compute");
    await ask("volume");
    expect(cloud.seen.map(({ headers }) => headers["openstack-api-version"])).toEqual(["compute 2.79", "volume 3.7"]);
  });

  it("is asked for once, however many requests there are", async () => {
    const { cloud, ask } = await begin();
    await Promise.all(Array.from({ length: 10 }, () => ask("compute")));
    await ask("compute");
    expect(cloud.requests.filter(({ path }) => path === "/compute/v2.1/").length).toBe(1);
  });

  it("is asked for again when the service rejects it", async () => {
    const { cloud, ask } = await begin();
    cloud.answer("GET", /things$/, { status: 406, body: "" }, 1);
    expect(await failure(ask("compute"))).toMatchObject({ status: 406 });
    cloud.answer("GET", /^\/compute\/v2\.1\/$/, { body: { version: { version: "2.79" } } });
    await ask("compute");
    expect(cloud.seen.at(-1)?.headers["openstack-api-version"]).toBe("compute 2.79");
  });

  it("is asked for again when the service did not say", async () => {
    const { cloud, ask } = await begin();
    cloud.answer("GET", /^\/placement\/$/, { status: 503, body: "" }, 1);
    expect(await failure(ask("placement"))).toMatchObject({ status: 503 });
    await ask("placement");
    expect(cloud.seen.length).toBe(1);
  });

  it.each<[ServiceType, RegExp, object, string]>([
    [
      "compute",
      /^\/compute\/v2\.1\/$/,
      { version: { version: "2.9" } },
      "The compute service offers version 2.9 of its API. Lessor needs 2.74 or later: OpenStack Train or later.",
    ],
    [
      "compute",
      /^\/compute\/v2\.1\/$/,
      { version: { version: "", min_version: "" } },
      "The compute service offers version none of its API. Lessor needs 2.74 or later",
    ],
    [
      "placement",
      /^\/placement\/$/,
      { versions: [{ max_version: "1.28" }] },
      "The placement service offers version 1.28 of its API. Lessor needs 1.29 or later: OpenStack Rocky or later.",
    ],
  ])(
    "is not there in a %s service that is too old, and nothing is asked of it",
    async (service, path, body, message) => {
      const { cloud, ask } = await begin();
      cloud.answer("GET", path, { body });
      const error = await failure(ask(service));
      expect(error).toBeInstanceOf(Unsuitable);
      expect(String(error)).toContain(message);
      expect(cloud.seen).toEqual([]);
    },
  );
});
