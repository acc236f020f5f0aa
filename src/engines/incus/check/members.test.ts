import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand, lines, member, serverInfo } from "../../../../test/support/check-stand.ts";
import { checkKind, checkMembers, checkRegions } from "./members.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const byGroups = (...groups: readonly (readonly [group: string, region: string])[]) => ({
  regionOf: { kind: "groups", groups: groups.map(([group, region]) => ({ group, region })) } as const,
});

describe("members", () => {
  const told = (members: ReturnType<typeof member>[], endpoints: { endpoint: string; member: string }[] = []) =>
    lines(checkMembers(stand.subject({ members }), endpoints));

  it("that are online are named", async () => {
    expect(await told([member("m1"), member("m2")])).toEqual(["ok members: cluster of 2: m1 and m2 online"]);
  });

  it("that are offline or evacuated are named with what to do", async () => {
    const off = member("m2", { status: "Offline", message: "No heartbeat for 25 s" });
    expect(await told([member("m1"), off, member("m3", { status: "Evacuated" })])).toEqual([
      "ok members: cluster of 3: m1 online",
      expect.stringMatching(/^warning members: m2 is offline \(No heartbeat for 25 s\) -> start its daemon/),
      "warning members: m3 is evacuated -> restore it after its maintenance: lxc cluster restore m3",
    ]);
  });

  it("of which none is online are a problem", async () => {
    expect((await told([member("m1", { status: "Offline" })]))[0]).toMatch(/^problem members: .*no member is online/);
  });

  it("are those of one cluster: an endpoint of another is a problem", async () => {
    const endpoints = [
      { endpoint: "https://a", member: "m1" },
      { endpoint: "https://b", member: "stranger" },
    ];
    expect((await told([member("m1")], endpoints)).slice(1)).toEqual([
      expect.stringMatching(/^problem endpoint: https:\/\/b leads to stranger, which is not a member/),
    ]);
  });
});

describe("regions by member group", () => {
  it("are fine where every group has members and every member a group", async () => {
    expect(await stand.run(checkRegions, { settings: byGroups(["default", "north"]) })).toEqual([
      "ok region north: served by m1 and m2 (group default)",
    ]);
  });

  it("name a group that does not exist, and the members that serve nothing", async () => {
    const told = await stand.run(checkRegions, { settings: byGroups(["gpu", "north"]) });
    expect(told[0]).toMatch(
      /^problem region north: the member group gpu does not exist \(existing: default\) -> .*group create gpu/,
    );
    expect(told[1]).toBe(
      "warning regions: m1 is in no group of regions and is unschedulable -> to use it: lxc cluster group assign m1 default,gpu",
    );
    expect(told.at(-1)).toMatch(/^problem regions: no member that is online serves a region/);
  });

  it("warn of an empty group, and of a member in groups of two regions", async () => {
    stand.answer("/1.0/cluster/groups", [
      { name: "a", members: ["m1"] },
      { name: "b", members: ["m1"] },
      { name: "c", members: [] },
    ]);
    const members = [member("m1", { groups: ["b", "a"] })];
    const settings = byGroups(["a", "north"], ["b", "south"], ["c", "west"]);
    expect((await stand.run(checkRegions, { settings, members })).slice(2)).toEqual([
      expect.stringMatching(/^warning region west: no member is in its group c/),
      "warning regions: m1 is in the groups of several regions, and serves north -> keep it in one of them only",
    ]);
  });

  it("cannot be had with a server that is no cluster", async () => {
    const server = serverInfo({ server_clustered: false });
    expect(await stand.run(checkRegions, { settings: byGroups(["a", "north"]), server })).toEqual([
      "problem regions: a standalone server has no member groups -> use region instead of regions",
    ]);
  });
});

describe("the kind of machines", () => {
  it("is supported where members say so", async () => {
    expect(await stand.run(checkKind, { settings: { kind: "virtual-machine" } })).toEqual([
      "ok kind: m1 and m2: virtual-machine reported as supported",
    ]);
  });

  it("is a problem where they do not, with the daemon's own reason", async () => {
    stand.answer("/1.0", serverInfo({ driver: "lxc" }));
    const noted = { type: "Instance type not operational", status: "new" };
    stand.answer("/1.0/warnings", [
      { ...noted, location: "m1", last_message: "vhost_vsock kernel module not loaded" },
      { ...noted, location: "m2", last_message: "an old one", status: "resolved" },
    ]);
    const told = await stand.run(checkKind, { settings: { kind: "virtual-machine" } });
    expect(told).toEqual([
      expect.stringMatching(/^problem kind: m1 .* virtual-machine \(vhost_vsock kernel module not loaded\) -> .*KVM/),
      expect.stringMatching(/^problem kind: m2 reports that it cannot run a virtual-machine -> /),
    ]);
  });

  it("asks no member that is offline, or serves no region", async () => {
    const members = [member("m1", { status: "Offline" }), member("m2", { groups: [] })];
    expect(await stand.run(checkKind, { settings: byGroups(["default", "north"]), members })).toEqual([]);
  });
});
