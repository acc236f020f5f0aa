import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, type EngineStand, portsOf } from "../../../test/support/fake-openstack/engines.ts";
import {
  type Inbound,
  type InboundRule,
  type MachineRef,
  noCapacityNow,
  noFirewall,
  noSuchMachine,
} from "../engine.ts";
import { outside } from "./outside.ts";

const management = ["10.0.0.0/8", "fd00::/8"];
const ssh: InboundRule = { protocol: "tcp", ports: [22, 22], source: "0.0.0.0/0" };
/** What the settings always allow. */
const managed = ["IPv4 any from 10.0.0.0/8", "IPv6 any from fd00::/8"];
/** All but the subnet of the region's machines, 127.88.0.0/16, and link-local addresses. */
const everything = [
  ...[...outside(4, ["127.88.0.0/16"])].map((network) => `IPv4 any from ${network}`),
  ...[...outside(6, ["fe80::/10"])].map((network) => `IPv6 any from ${network}`),
  ...managed,
].sort();

const begin = () => beginEngines({}, (settings) => ({ ...settings, managementNetworks: management }));

function groupOf({ world, ...stand }: EngineStand, machine: MachineRef) {
  const [id = "", ...others] = portsOf({ world, ...stand }, machine)[0]?.groups ?? [];
  expect(others).toEqual([]);
  return world.networks.groups.get(id) ?? expect.unreachable();
}

/** What may come in, in words. */
function rulesOf(stand: EngineStand, machine: MachineRef): string[] {
  return groupOf(stand, machine)
    .rules.filter(({ direction }) => direction === "ingress")
    .map(({ ethertype, protocol, min, max, prefix }) => {
      const ports = min === null ? "" : ` ${min}-${max}`;
      return `${ethertype} ${protocol ?? "any"}${ports} from ${prefix ?? "any"}`;
    })
    .sort();
}

async function created(stand: EngineStand, inbound: Inbound) {
  const spec = stand.spec(inbound === undefined ? {} : { inbound });
  await stand.engine.create(spec, signal());
  return spec;
}

const rows: readonly (readonly [what: string, inbound: Inbound, rules: readonly string[]])[] = [
  ["no rules: everything but other machines of the region", undefined, everything],
  ["an empty list: only what the settings allow", [], managed],
  ["a port", [ssh], ["IPv4 tcp 22-22 from 0.0.0.0/0", ...managed]],
  ["a range over IPv6", [{ protocol: "udp", ports: [1, 9], source: "::/0" }], ["IPv6 udp 1-9 from ::/0", ...managed]],
  ["icmp", [{ protocol: "icmp", ports: null, source: "192.0.2.0/24" }], ["IPv4 icmp from 192.0.2.0/24", ...managed]],
  [
    "icmp over IPv6",
    [{ protocol: "icmp", ports: null, source: "2001:db8::/32" }],
    ["IPv6 ipv6-icmp from 2001:db8::/32", ...managed],
  ],
  [
    "TCP and UDP",
    [{ protocol: "all", ports: [80, 90], source: "0.0.0.0/0" }],
    ["IPv4 tcp 80-90 from 0.0.0.0/0", "IPv4 udp 80-90 from 0.0.0.0/0", ...managed],
  ],
  [
    "every protocol",
    [{ protocol: "all", ports: [1, 65_535], source: "192.0.2.0/24" }],
    ["IPv4 any from 192.0.2.0/24", ...managed],
  ],
];

describe("rules", () => {
  it.each(rows)("%s", async (_what, inbound, rules) => {
    const stand = await begin();
    expect(rulesOf(stand, await created(stand, inbound))).toEqual([...rules].sort());
  });

  it("that are equal share a group; others have their own, and it goes with its last machine", async () => {
    const stand = await begin();
    const [first, second, other] = [await created(stand, [ssh]), await created(stand, [ssh]), await created(stand, [])];
    expect(groupOf(stand, first)).toBe(groupOf(stand, second));
    expect(groupOf(stand, first)).not.toBe(groupOf(stand, other));
    const { groups } = stand.world.networks;
    const shared = groupOf(stand, first);
    await stand.engine.remove(first, signal());
    expect(groups.has(shared.id)).toBe(true);
    await stand.engine.remove(second, signal());
    expect(groups.has(shared.id)).toBe(false);
    expect(rulesOf(stand, await created(stand, [ssh]))).toContain("IPv4 tcp 22-22 from 0.0.0.0/0");
  });

  it("take a request for a hundred of them, and are the same in another order or twice", async () => {
    const stand = await begin();
    stand.world.quotas.security_group_rule = -1;
    const many = Array.from({ length: 250 }, (_, at): InboundRule => ({ ...ssh, ports: [at + 1, at + 1] }));
    const first = await created(stand, many);
    expect(stand.fake.seen("network", "POST", /security-group-rules$/)).toHaveLength(3);
    expect(rulesOf(stand, first)).toHaveLength(252);
    const again: InboundRule = { ...ssh, ports: [7, 7] };
    const second = await created(stand, [...many, again].reverse());
    expect(groupOf(stand, second)).toBe(groupOf(stand, first));
  });

  it("are replaced while the machine runs, and the old group goes", async () => {
    const stand = await begin();
    const spec = stand.spec({ inbound: [ssh] });
    await booted(stand.engine, spec);
    const before = groupOf(stand, spec);
    await stand.engine.setInbound?.(spec, [], signal());
    expect(rulesOf(stand, spec)).toEqual(managed);
    expect(stand.world.networks.groups.has(before.id)).toBe(false);
    await stand.engine.setInbound?.(spec, undefined, signal());
    expect(rulesOf(stand, spec)).toEqual(everything);
    expect(await failure(stand.engine.setInbound?.(stand.spec(), [], signal()) ?? Promise.resolve())).toMatchObject({
      code: noSuchMachine,
    });
  });
});

it("without management networks, machines are open to everything", async () => {
  const stand = await beginEngines();
  expect(rulesOf(stand, await created(stand, undefined))).toEqual(["IPv4 any from 0.0.0.0/0", "IPv6 any from ::/0"]);
});

it("a group that two calls make at once has each rule once", async () => {
  const stand = await begin();
  const many = Array.from({ length: 20 }, (_, at): InboundRule => ({ ...ssh, ports: [at + 1, at + 1] }));
  const specs = [stand.spec({ inbound: many }), stand.spec({ inbound: many }), stand.spec({ inbound: many })];
  await Promise.all(specs.map((spec) => stand.another().create(spec, signal())));
  for (const spec of specs) expect(rulesOf(stand, spec)).toHaveLength(22);
});

describe("a group that was interrupted", () => {
  it("before its rules: it is completed before a machine has it", async () => {
    const stand = await begin();
    stand.fake.faults.add("network", "POST", /security-group-rules$/, { drop: "before" });
    expect(await failure(created(stand, [ssh]))).toMatchObject({ kind: "unavailable" });
    expect(stand.world.networks.ports.size).toBe(0);
    expect(rulesOf(stand, await created(stand, [ssh]))).toContain("IPv4 tcp 22-22 from 0.0.0.0/0");
  });

  it("by the quota of rules: no machine has it, not one that runs either", async () => {
    const stand = await begin();
    const running = await created(stand, undefined);
    const groups = () => [...stand.world.networks.groups.values()];
    stand.world.quotas.security_group_rule = groups().reduce((sum, { rules }) => sum + rules.length, 0) + 3;
    const full = { kind: "refused", code: noCapacityNow };
    expect(await failure(created(stand, [ssh]))).toMatchObject(full);
    expect(await failure(stand.engine.setInbound?.(running, [ssh], signal()) ?? Promise.resolve())).toMatchObject(full);
    expect(stand.world.networks.ports.size).toBe(1);
    expect(rulesOf(stand, running)).toEqual(everything);
    stand.world.quotas.security_group_rule = 100;
    await stand.engine.setInbound?.(running, [ssh], signal());
    expect(rulesOf(stand, running)).toEqual(["IPv4 tcp 22-22 from 0.0.0.0/0", ...managed].sort());
  });

  it("before its port: the next list removes it", async () => {
    const stand = await begin();
    stand.fake.faults.add("network", "POST", /ports$/, { drop: "before" });
    expect(await failure(created(stand, [ssh]))).toMatchObject({ kind: "unavailable" });
    const names = () => [...stand.world.networks.groups.values()].filter(({ name }) => name.startsWith("lessor-"));
    expect(names()).toHaveLength(1);
    await eventually(async () => {
      await stand.another().list(signal());
      return names();
    }).toEqual([]);
  });
});

it("without networks of management there are no rules: a machine with some is refused", async () => {
  const stand = await beginEngines();
  expect(stand.engine.firewalls).toBeUndefined();
  expect(stand.engine.setInbound).toBeUndefined();
  expect(await failure(created(stand, []))).toMatchObject({ kind: "refused", code: noFirewall });
});
