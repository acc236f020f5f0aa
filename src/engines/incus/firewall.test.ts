// Firewall rules as network ACLs, against the fake of the API.

import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, type Stand } from "../../../test/support/fake-incus/stand.ts";
import type { Inbound, InboundRule } from "../engine.ts";
import { instanceName } from "./labels.ts";
import type { IncusSettings } from "./settings/settings.ts";

const ssh: InboundRule = { protocol: "tcp", ports: [22, 22], source: "192.0.2.0/24" };
const web: InboundRule = { protocol: "tcp", ports: [80, 443], source: "0.0.0.0/0" };
const acls = /network-acls/;

/** A cluster whose bridges take ACLs, as those of Incus 6.9 do. */
async function begin(part: Partial<IncusSettings> = {}): Promise<Stand> {
  const stand = await beginStand({ managementNetworks: ["10.0.0.0/24"], ...part });
  stand.fake.world.extensions.push("network_acl", "network_bridge_acl_devices");
  return stand;
}

function set({ engine }: Stand, machine: { id: string; host: string }, inbound: Inbound): Promise<void> {
  if (engine.setInbound === undefined) throw new Error("this engine keeps no rules");
  return engine.setInbound(machine, inbound, signal());
}

function nicOf({ fake }: Stand, id: string) {
  return fake.world.instances.get(instanceName(id))?.devices.eth0 ?? {};
}

/** What the machine's NIC lets in, beside Lessor's own knocks; undefined: it is not filtered. */
function letIn(stand: Stand, id: string): readonly object[] | undefined {
  const name = nicOf(stand, id)["security.acls"];
  return name === undefined ? undefined : stand.fake.world.acls.get(name)?.ingress.slice(1);
}

const aclNames = ({ fake }: Stand) => [...fake.world.acls.keys()];

describe("a machine with rules", () => {
  it("is made with an ACL of its own on its NIC, which drops everything else and lets everything out", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh] });
    await stand.engine.create(spec, signal());
    const nic = nicOf(stand, spec.id);
    expect(nic).toMatchObject({
      network: "lxdbr0",
      "security.port_isolation": "true",
      "security.acls.default.ingress.action": "drop",
      "security.acls.default.egress.action": "allow",
    });
    expect(nic["security.acls"]).toMatch(new RegExp(`^lessor-${spec.id}-[0-9a-f]{8}$`));
    expect(letIn(stand, spec.id)).toEqual([
      { action: "allow", state: "enabled", source: "192.0.2.0/24", protocol: "tcp", destination_port: "22" },
    ]);
  });

  it("can be reached by Lessor at its SSH port whatever the rules are, or it would never be seen to be usable", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [] });
    await stand.engine.create(spec, signal());
    expect(stand.fake.world.acls.get(nicOf(stand, spec.id)["security.acls"] ?? "")?.ingress).toEqual([
      {
        action: "allow",
        state: "enabled",
        source: "10.0.0.0/24",
        protocol: "tcp",
        destination_port: `${stand.settings.sshProbe.port}`,
      },
    ]);
  });

  it.each<[string, InboundRule, object[]]>([
    ["a range of ports", web, [{ protocol: "tcp", destination_port: "80-443" }]],
    [
      "all of some ports, which is TCP and UDP",
      { ...web, protocol: "all" },
      [
        { protocol: "tcp", destination_port: "80-443" },
        { protocol: "udp", destination_port: "80-443" },
      ],
    ],
    ["all of every port, which is any protocol", { ...ssh, protocol: "all", ports: [1, 65_535] }, [{}]],
    ["ICMP", { ...web, protocol: "icmp", ports: null }, [{ protocol: "icmp4" }]],
    ["ICMP of IPv6", { protocol: "icmp", ports: null, source: "2001:db8::/32" }, [{ protocol: "icmp6" }]],
  ])("is told of %s in the cluster's words", async (_what, rule, expected) => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [rule] });
    await stand.engine.create(spec, signal());
    const { source } = rule;
    expect(letIn(stand, spec.id)).toEqual(
      expected.map((one) => ({ action: "allow", state: "enabled", source, ...one })),
    );
  });

  it("has each rule once, for the cluster refuses one that is there twice", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh, web, ssh] });
    await stand.engine.create(spec, signal());
    expect(letIn(stand, spec.id)).toHaveLength(2);
  });

  it("is removed with its ACLs, also with one that a crash left behind", async () => {
    const stand = await begin();
    const [spec, other] = [machineSpec({ inbound: [ssh] }), machineSpec({ inbound: [ssh] })];
    for (const one of [spec, other]) await stand.engine.create(one, signal());
    const left = `${instanceName(spec.id)}-00000000`;
    stand.fake.world.acls.set(left, { name: left, ingress: [], egress: [] });
    await stand.engine.remove(spec, signal());
    expect(aclNames(stand)).toEqual([nicOf(stand, other.id)["security.acls"]]);
    await stand.engine.remove(other, signal());
    expect(aclNames(stand)).toEqual([]);
    await stand.engine.remove(other, signal());
  });

  it("is made once though it is asked for twice, also after the ACL's answer was lost", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh] });
    stand.fake.faults.add("POST", acls, { drop: "after" });
    await failure(stand.engine.create(spec, signal()));
    await stand.engine.create(spec, signal());
    await stand.engine.create(spec, signal());
    expect([stand.fake.world.instances.size, aclNames(stand).length]).toEqual([1, 1]);
  });
});

describe("a machine without rules", () => {
  it("is let in everything, and kept from what is not its own", async () => {
    const stand = await begin();
    stand.fake.world.network.config["ipv4.address"] = "10.99.0.1/24";
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    const nic = nicOf(stand, spec.id);
    expect(nic).toMatchObject({
      "security.acls.default.ingress.action": "allow",
      "security.acls.default.egress.action": "allow",
    });
    const egress = stand.fake.world.acls.get(nic["security.acls"] ?? "")?.egress ?? [];
    for (const destination of ["10.0.0.0/24", "169.254.0.0/16", "10.99.0.1/32"]) {
      expect(egress).toContainEqual(expect.objectContaining({ action: "drop", destination }));
    }
    await stand.engine.remove(spec, signal());
    expect(aclNames(stand)).toEqual([]);
  });

  it("is kept from it also where the settings name no management networks", async () => {
    const stand = await begin({ managementNetworks: [] });
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    expect(nicOf(stand, spec.id)["security.acls"]).toBeDefined();
    await stand.engine.remove(spec, signal());
    expect(aclNames(stand)).toEqual([]);
  });

  it("is made all the same where the cluster has no ACLs, or lets us make none", async () => {
    const lxd = await beginStand();
    const restricted = await begin();
    restricted.fake.faults.add("POST", acls, { fail: { status: 403, error: "not authorized" } });
    for (const stand of [lxd, restricted]) {
      const spec = machineSpec();
      await stand.engine.create(spec, signal());
      expect(nicOf(stand, spec.id)["security.acls"]).toBeUndefined();
      await stand.engine.remove(spec, signal());
    }
    expect(lxd.fake.seen("POST", acls)).toEqual([]);
  });
});

describe("new rules", () => {
  it("replace those that hold, in one change of the NIC, and leave the rest of it as it is", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh] });
    await stand.engine.create(spec, signal());
    const before = nicOf(stand, spec.id);
    await set(stand, spec, [web]);
    expect(letIn(stand, spec.id)).toMatchObject([{ destination_port: "80-443" }]);
    expect({ ...nicOf(stand, spec.id), "security.acls": "" }).toEqual({ ...before, "security.acls": "" });
    expect(aclNames(stand)).toEqual([nicOf(stand, spec.id)["security.acls"]]);
    expect(stand.fake.seen("PATCH", /instances/)).toHaveLength(1);
  });

  it("are put on a machine that had none, and taken off again", async () => {
    const stand = await begin();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    const before = { ...nicOf(stand, spec.id) };
    await set(stand, spec, []);
    expect(letIn(stand, spec.id)).toEqual([]);
    await set(stand, spec, undefined);
    expect(nicOf(stand, spec.id)).toEqual(before);
    expect(aclNames(stand)).toEqual([before["security.acls"]]);
  });

  it("that are those that hold change nothing", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh] });
    await stand.engine.create(spec, signal());
    await set(stand, spec, [ssh]);
    expect(stand.fake.seen("PATCH", /instances/)).toEqual([]);
    expect(letIn(stand, spec.id)).toHaveLength(1);
  });

  it("hold although the former ACL cannot be removed, which goes with the machine", async () => {
    const stand = await begin();
    const spec = machineSpec({ inbound: [ssh] });
    await stand.engine.create(spec, signal());
    stand.fake.faults.add("DELETE", acls, { fail: { status: 500, error: "Failed removing rules" } });
    await set(stand, spec, [web]);
    expect(letIn(stand, spec.id)).toMatchObject([{ destination_port: "80-443" }]);
    expect(aclNames(stand)).toHaveLength(2);
    await stand.engine.remove(spec, signal());
    expect(aclNames(stand)).toEqual([]);
  });

  it("of a machine that is not there are unavailable", async () => {
    const stand = await begin();
    expect(await failure(set(stand, machineSpec(), [ssh]))).toMatchObject({
      kind: "unavailable",
      code: "no-such-machine",
    });
  });
});

describe("where rules cannot be kept", () => {
  it("the engine says so: without networks to reach guests from, and with the NIC of a profile", async () => {
    for (const part of [
      {},
      { nic: { kind: "profile", profile: "rent" }, managementNetworks: ["10.0.0.0/24"] },
    ] as const) {
      const { engine } = await beginStand(part);
      expect([engine.firewalls, engine.setInbound]).toEqual([undefined, undefined]);
    }
    expect((await begin()).engine.firewalls).toBe("enforced");
  });

  it.each([
    ["a bridge of LXD, whose NICs take no ACLs", "bridge", ["network_acl", "network_bridge_acl"]],
    ["a network of a cluster without ACLs", "ovn", []],
    ["another kind of network", "macvlan", ["network_acl", "network_bridge_acl_devices"]],
  ])("no machine is made with them: %s", async (_what, type, extensions) => {
    const stand = await beginStand({ managementNetworks: ["10.0.0.0/24"] });
    stand.fake.world.network.type = type;
    stand.fake.world.extensions.push(...extensions);
    const refused = { kind: "refused", code: "firewall-not-supported" };
    expect(await failure(stand.engine.create(machineSpec({ inbound: [] }), signal()))).toMatchObject(refused);
    expect(stand.fake.world.instances.size).toBe(0);
    expect(stand.engine.firewalls).toBeUndefined();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    expect(await failure(set(stand, spec, [ssh]))).toMatchObject(refused);
  });

  it("the engine knows from its first inventory on, and again when the cluster can", async () => {
    const stand = await beginStand({ managementNetworks: ["10.0.0.0/24"] });
    const { engine, fake } = stand;
    expect(engine.firewalls).toBe("enforced");
    await engine.hosts(signal());
    expect(engine.firewalls).toBeUndefined();
    fake.world.extensions.push("network_acl", "network_bridge_acl_devices");
    await engine.hosts(signal());
    expect(engine.firewalls).toBe("enforced");
    fake.world.network.type = "macvlan";
    await engine.hosts(signal());
    expect(engine.firewalls).toBeUndefined();
  });

  it("they are kept on an OVN network, which has ACLs of its own", async () => {
    const stand = await beginStand({ managementNetworks: ["10.0.0.0/24"] });
    stand.fake.world.network.type = "ovn";
    stand.fake.world.extensions.push("network_acl");
    const spec = machineSpec({ inbound: [ssh] });
    await stand.engine.create(spec, signal());
    expect(letIn(stand, spec.id)).toHaveLength(1);
  });
});
