import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand, faultsIn, lines } from "../../../../test/support/check-stand.ts";
import type { CheckOptions } from "../../check/options.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { checkCluster } from "./check-cluster.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const probe = { image: undefined, deadlineSeconds: 10 };
const check = (part: Partial<IncusSettings> = {}, options: Partial<CheckOptions> = {}) =>
  lines(
    checkCluster(
      { ...stand.settings, ...part },
      { probe: undefined, path: "", onProgress: () => {}, ...options },
      AbortSignal.timeout(15_000),
    ),
  );
const made = () => stand.fake.seen("POST", /instances$/);

describe("the check of a cluster", () => {
  it("of a fit one finds nothing wrong, and without probe makes nothing", async () => {
    const told = await check();
    expect(faultsIn(told)).toEqual([]);
    for (const what of [
      "endpoint",
      "members",
      "API",
      "region",
      "kind",
      "project",
      "pool",
      "network",
      "m1",
      "image",
      "SSH",
    ]) {
      expect(told).toContainEqual(expect.stringMatching(`^ok ${what}`));
    }
    expect(stand.fake.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("tells of the GPU helpers of members with GPUs, where the settings have some", async () => {
    const told = await check({ hostPrefix: "north-" }, { gpuHelper: () => undefined });
    expect(faultsIn(told)).toEqual([expect.stringMatching(/^warning GPU helper on north-m1: no command is set/)]);
  });

  it("makes a probe instance on every member, and two at once on the first", async () => {
    // The shell of the fake says nothing of its own, so whether the two are apart cannot be told.
    stand.fake.onSession = (session) => session.end();
    const told = await check({}, { probe });
    expect(faultsIn(told)).toEqual([expect.stringMatching(/^warning isolation on m1: could not be tested/)]);
    expect(made().map(({ query }) => query.target)).toEqual(["m1", "m1", "m2"]);
    expect(stand.fake.world.instances.size).toBe(0);
  });

  it("makes them of the image that is asked for, or else of the first of the settings", async () => {
    const images = { ours: { kind: "alias", alias: "debian-12" } } as const;
    stand.fake.faults.add("POST", /instances$/, { fail: { status: 400, error: "no" } }, Infinity);
    await check({ images }, { probe });
    await check({ images }, { probe: { ...probe, image: "another" } });
    expect(made().map(({ body }) => JSON.parse(body.toString()).source.alias)).toEqual([
      "debian-12",
      "debian-12",
      "another",
      "another",
    ]);
  });

  it("makes none where nothing could come of it, and says so", async () => {
    const told = await check({ pool: "nope" }, { probe });
    expect(faultsIn(told)).toEqual([
      expect.stringMatching(/^problem pool nope: does not exist/),
      "warning probe: no test instance was created, because of the problems above -> fix them, then run the check again",
    ]);
    expect(made()).toEqual([]);
  });

  it("goes on after a step that cannot be carried out", async () => {
    stand.refuse("/1.0/projects/default", 403, "not authorized");
    const told = await check();
    expect(faultsIn(told)).toEqual([
      "problem project: could not be checked: not authorized -> read the daemon's log, then run the check again",
    ]);
    expect(told.at(-1)).toMatch(/^ok SSH probe/);
  });

  it("ends with the endpoints where none answers", async () => {
    const told = await check({ endpoints: [{ kind: "unix", path: "/nowhere/socket" }] });
    expect(told).toEqual([
      expect.stringMatching(/^problem endpoint: unix:\/\/\/nowhere\/socket: the socket does not exist/),
    ]);
  });

  it("tries no member that is offline or serves no region", async () => {
    stand.fake.world.addMember("m2", { status: "Offline" });
    stand.fake.world.addMember("m3", { groups: ["other"] });
    stand.fake.onSession = (session) => session.end();
    await check({ regionOf: { kind: "groups", groups: [{ group: "default", region: "north" }] } }, { probe });
    expect(made().map(({ query }) => query.target)).toEqual(["m1", "m1"]);
  });
});
