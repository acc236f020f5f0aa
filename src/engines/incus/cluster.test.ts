import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, settingsFor } from "../../../test/support/fake-incus/stand.ts";
import type { ApiInstance } from "./api.ts";
import { hostName, memberName, openCluster, placed, readNetwork, targetOf } from "./cluster.ts";
import { isOnline, readMembers } from "./members.ts";

const at = (location: string | undefined): ApiInstance => ({
  name: "x",
  status: "Stopped",
  type: "container",
  last_used_at: "",
  config: null,
  ...(location === undefined ? {} : { location }),
});

describe("a cluster that is opened", () => {
  it("is not connected to yet, so that a service starts while its clusters are down", async () => {
    const settings = settingsFor({ endpoints: [{ kind: "unix", path: "/nowhere" }] });
    const cluster = openCluster(settings, "installation-1");
    expect(await failure(targetOf(cluster, "m1", signal()))).toMatchObject({ name: "NoAnswer" });
    await cluster.client.close();
  });

  it("marks what is its own apart from other engines of the same installation", () => {
    const marks = ["a", "b"].map((name) => openCluster(settingsFor({ name }), "installation-1").installation);
    expect(new Set(marks).size).toBe(2);
    for (const mark of marks) expect(mark).toContain("installation-1");
  });
});

describe("a host's name", () => {
  it("is the member's with the prefix, and leads back to it", () => {
    const cluster = openCluster(settingsFor({ hostPrefix: "east-" }), "installation-1");
    expect(hostName(cluster, "m1")).toBe("east-m1");
    expect(memberName(cluster, "east-m1")).toBe("m1");
    expect(memberName(cluster, "west-m1")).toBeUndefined();
  });
});

describe("where a request goes", () => {
  it("is said to a cluster, which is asked once what it is", async () => {
    const { fake, cluster } = await beginStand();
    expect(await targetOf(cluster, "m2", signal())).toEqual({ target: "m2" });
    expect(await targetOf(cluster, "m1", signal())).toEqual({ target: "m1" });
    expect(fake.requests.length).toBe(1);
  });

  it("is not said to a server that is none, which has one name only", async () => {
    const { fake, cluster } = await beginStand();
    fake.world.clustered = false;
    expect(await targetOf(cluster, "m1", signal())).toEqual({});
    expect(await failure(targetOf(cluster, "m2", signal()))).toMatchObject({ kind: "refused", code: "no-such-host" });
  });
});

describe("where an instance is", () => {
  it("is what a cluster says", async () => {
    const { fake, cluster } = await beginStand();
    expect(await placed(cluster, at("m2"), signal())).toEqual(at("m2"));
    expect(fake.requests).toEqual([]);
  });

  it.each(["none", "", undefined])("is the one server that there is, where it says %j", async (location) => {
    const { fake, cluster } = await beginStand();
    fake.world.clustered = false;
    fake.world.serverName = "solo";
    expect(await placed(cluster, at(location), signal())).toMatchObject({ location: "solo" });
  });
});

describe("the network", () => {
  it("is not asked for where a profile says it", async () => {
    const { fake, cluster } = await beginStand({ nic: { kind: "profile", profile: "renters" } });
    await readNetwork(cluster, signal());
    expect(fake.requests).toEqual([]);
  });

  it("is known by its type, and whether it has IPv6", async () => {
    const { fake, cluster } = await beginStand();
    fake.world.network = { ...fake.world.network, type: "ovn", config: { "ipv6.address": "fd42::1/64" } };
    await readNetwork(cluster, signal());
    expect(cluster.layout).toMatchObject({ networkType: "ovn", ipv6: true });
  });
});

describe("a network whose settings our certificate may not see", () => {
  const told = async (state: object) => {
    const { fake, cluster } = await beginStand();
    fake.world.network = { ...fake.world.network, config: {} };
    fake.faults.add("GET", /^\/1\.0\/networks\/lxdbr0\/state$/, state);
    await readNetwork(cluster, signal());
    return cluster.layout.ipv6;
  };
  const address = (family: string, scope: string) => ({ family, address: "x", netmask: "64", scope });
  const shows = (addresses: object[] | null) =>
    told({ answer: JSON.stringify({ type: "sync", metadata: { addresses } }) });

  it("has IPv6 where its bridge has an address of it for all to reach", async () => {
    expect(await shows([address("inet", "global"), address("inet6", "link"), address("inet6", "global")])).toBe(true);
  });

  it("has none where its bridge has only IPv4, only what every link has, or nothing", async () => {
    expect(await shows([address("inet", "global"), address("inet6", "link")])).toBe(false);
    expect(await shows([])).toBe(false);
    expect(await shows(null)).toBe(false);
  });

  it("has none where its state is not shown either", async () => {
    expect(await told({ fail: { status: 403, error: "not authorized" } })).toBe(false);
  });
});

describe("the members", () => {
  it("that are online are the only ones that can be asked", async () => {
    const { fake, cluster } = await beginStand();
    fake.world.addMember("m2", { status: "Evacuated" });
    fake.world.addMember("m3", { status: "Offline" });
    const members = await readMembers(cluster, signal());
    expect(members.map((member) => [member.server_name, isOnline(member)])).toEqual([
      ["m1", true],
      ["m2", false],
      ["m3", false],
    ]);
  });

  it("of a server that is no cluster are itself", async () => {
    const { fake, cluster } = await beginStand();
    fake.world.clustered = false;
    expect(await readMembers(cluster, signal())).toEqual([{ server_name: "m1", status: "Online", groups: [] }]);
    expect(fake.seen("GET", /members/)).toEqual([]);
  });
});
