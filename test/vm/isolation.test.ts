// A tenant reaches nothing but its own: tried from inside real guests, as `lessor engine check` tries it, and told by the
// same findings. What stays open on purpose is tried too, so that silence means a filter and not a guest without a network.

import { expect, inject, it } from "vitest";
import type { Finding } from "../../src/engines/check/finding.ts";
import { checkIsolation, type Target } from "../../src/engines/check/isolation.ts";
import { targetsOn } from "../../src/engines/libvirt/check/isolation.ts";
import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { openVirsh } from "../../src/engines/libvirt/virsh/virsh.ts";
import { run } from "../support/lab/run.ts";
import { afterFile } from "../support/when-over.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, labSettings, machineOn } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();
const soon = () => AbortSignal.timeout(300_000);

const installation = crypto.randomUUID();
const [h1, h2] = lab.hosts;
if (h1 === undefined || h2 === undefined) throw new Error("BUG: a lab without hosts");
const gatewayOf = (guestSubnet: string) => guestSubnet.replace(/0\/24$/, "1");
/** Of the hosts and of this machine, from which guests are knocked at. */
const labNetwork = h1.address.replace(/\d+$/, "0/24");

const machines = [machineOn("h1"), machineOn("h1")] as const;
const addresses: string[] = [];

function engineWith(...managementNetworks: readonly string[]) {
  const settings = labSettings(lab, { management_networks: [...managementNetworks] });
  const engine = new LibvirtEngine(settings, installation);
  whenOver(() => engine.close());
  return { engine, settings };
}
const { engine, settings } = engineWith(labNetwork);

/** Addresses that answer, though nothing listens there, unless a filter keeps a guest from them. */
const dns: Target = { what: "DNS", ip: gatewayOf(h1.guestSubnet), port: 53, advice: "none" };
/** On the way out, and nothing that a filter knows of: from a host, a lab leads to no internet. */
const elsewhere: Target = { what: "an address elsewhere", ip: "198.51.100.1", port: 40_001, advice: "none" };

/** What the check says of each verdict, from inside the first machine. */
async function findings(targets: readonly Target[]): Promise<Record<Finding["verdict"], string[]>> {
  const told = { ok: [] as string[], warning: [] as string[], problem: [] as string[] };
  const order = { neighbor: { ip: addresses[1] ?? "", advice: "none" }, targets, control: dns };
  for await (const { verdict, detail } of checkIsolation(engine, machines[0], order, soon())) {
    told[verdict].push(detail);
  }
  return told;
}

it("guests are reached from a management network: what answers such a connection is let out", async () => {
  const change = (how: "add" | "del") =>
    run("ip", ["netns", "exec", h1.namespace, "ip", "address", how, `${elsewhere.ip}/32`, "dev", "lo"]);
  await change("add");
  whenOver(() => change("del"));
  const usable = async (machine: (typeof machines)[number], index: number) => {
    await engine.create(machine, soon());
    await engine.start(machine, soon());
    const report = () => engine.inspect(machine, soon());
    await expect.poll(async () => (await report())?.usable, { timeout: 240_000, interval: 500 }).toBe(true);
    addresses[index] = (await report())?.ip ?? "";
  };
  await Promise.all(machines.map(usable));
});

it("a guest reaches no neighbor, straight or through its host, nothing of its host, of management networks and metadata", async () => {
  const host = settings.hosts[0];
  if (host === undefined) throw new Error("BUG: settings without hosts");
  const { targets, control } = await targetsOn({ host, settings, installation, virsh: openVirsh(host.uri) }, soon());
  expect(control).toEqual({ ip: dns.ip, port: dns.port });
  const told = await findings([...targets, dns, elsewhere]);
  const open = ["one machine reaches DNS", "one machine reaches an address elsewhere"];
  expect(told).toEqual({ ok: expect.anything(), warning: [], problem: open });
  for (const one of [
    "another on the same host through the router",
    `its host's address ${h1.address} at port 16509`,
    `its host's address ${gatewayOf(h1.guestSubnet)} at port 65000`,
    `another host's address ${h2.address} at port 16509`,
    `${labNetwork.replace(/0\/24$/, "1")} of management_networks at port 22`,
    "the metadata address 169.254.169.254",
  ]) {
    expect(told.ok.join()).toContain(one);
  }
});

it("the check says what is open where the host's kernel does not show bridged packets to its filters", async () => {
  const kernel = (value: 0 | 1) =>
    run("ip", ["netns", "exec", h1.namespace, "sysctl", "-qw", `net.bridge.bridge-nf-call-iptables=${value}`]);
  await kernel(0);
  try {
    const ports = [16_509, 65_000].map((port): Target => ({ what: `port ${port}`, ip: h1.address, port, advice: "x" }));
    const told = await findings(ports);
    expect(told.problem).toEqual(["one machine reaches port 65000"]);
    expect(told.ok.join()).toContain("port 16509");
  } finally {
    await kernel(1);
  }
});

it("a filter outlives the death of libvirtd, and other management networks hold for guests that run", async () => {
  await lab.killDaemon("h1");
  await lab.startDaemon("h1");
  const { engine: restarted } = engineWith(labNetwork, `${elsewhere.ip}/32`);
  await restarted.list(soon());
  const filter = () => lab.virsh("h1", ["nwfilter-dumpxml", `lessor-${machines[0].id}`]);
  await expect.poll(filter, { timeout: 60_000 }).toContain(elsewhere.ip);
  const libvirt: Target = { what: "libvirt", ip: h1.address, port: 16_509, advice: "none" };
  const told = await findings([dns, elsewhere, libvirt]);
  expect(told.problem).toEqual(["one machine reaches DNS"]);
  expect(told.ok.join()).toContain("an address elsewhere and libvirt");
});

it("filters are gone with their machines", async () => {
  await Promise.all(machines.map((machine) => engine.remove(machine, soon())));
  expect(await lab.leftovers()).toEqual([]);
});
