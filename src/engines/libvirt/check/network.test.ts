import { beforeEach, describe, expect, it } from "vitest";
import { beginLibvirtCheckStand, info, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkFilter, targetsOn } from "./isolation.ts";
import { checkNetwork } from "./network.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});

const network = (inside: string, forward = "<forward mode='route'/>") =>
  `<network><name>default</name>${forward}<ip address='10.0.0.1' netmask='255.255.255.0'>${inside}</ip></network>`;
const range = (last: number) => `<dhcp><range start='10.0.0.10' end='10.0.0.${last}'/></dhcp>`;
const of = async (xml: string) => {
  stand.answer("net-dumpxml default", xml);
  return stand.run(checkNetwork);
};

describe("the network", () => {
  it("that is routed is fine, and says what has to lead to it", async () => {
    expect(await of(network(range(209)))).toEqual([
      "ok network on h1: default, route: reachable where 10.0.0.1/255.255.255.0 is routed to this host; 200 of 200 addresses free",
    ]);
  });

  it("with NAT is a warning, because no customer gets in", async () => {
    expect(await of(network(range(209), "<forward mode='nat'/>"))).toEqual([
      expect.stringMatching(/^warning network on h1: default uses NAT: .* only from their host; .* -> .*route/),
    ]);
    // libvirt's default.
    expect((await of(network(range(209), "<forward dev='eth0'/>")))[0]).toMatch(/ uses NAT/);
  });

  it("that is isolated, or not libvirt's own, is a problem", async () => {
    expect((await of(network(range(209), "")))[0]).toMatch(/^problem .* default is isolated: /);
    expect((await of(`<network><forward mode='bridge'/><bridge name='br0'/></network>`))[0]).toMatch(
      /^problem .* default has the forward mode bridge, for which libvirt assigns no addresses/,
    );
    expect((await of(`<network><forward mode='bridge'/><virtualport type='openvswitch'/></network>`))[0]).toMatch(
      /^problem .* neither filters nor isolates machines/,
    );
  });

  it("without addresses is a problem, and with few of them a warning", async () => {
    expect((await of(network("")))[0]).toMatch(/^problem .* default assigns no IPv4 addresses by DHCP -> add <dhcp>/);
    expect((await of(network(range(14))))[0]).toMatch(/^warning .* default has only 5 of 5 addresses free/);
    const taken =
      "<dhcp><range start='10.0.0.10' end='10.0.0.10'/><host mac='52:00:00:00:00:01' ip='10.0.0.10'/></dhcp>";
    expect((await of(network(taken)))[0]).toMatch(/^problem .* default has no free address/);
  });

  it("that is not there, off, or off after the next start, says how to mend that", async () => {
    stand.answer("net-info default", info.network({ Autostart: "no" }));
    expect((await stand.run(checkNetwork))[0]).toMatch(/^warning .* -> virsh -c \S+ net-autostart default$/);
    stand.answer("net-info default", info.network({ Active: "no" }));
    expect(await stand.run(checkNetwork)).toEqual([
      expect.stringMatching(/^problem .* -> virsh -c \S+ net-start default$/),
    ]);
    stand.refuse("net-info default", "failed to get network 'default'");
    expect(await stand.run(checkNetwork)).toEqual([
      expect.stringMatching(/^problem .*: the network default does not exist -> /),
    ]);
  });
});

describe("what keeps tenants apart", () => {
  it("is said", async () => {
    expect(await stand.run(checkFilter)).toEqual([
      expect.stringMatching(/^ok isolation on h1: port isolation, and a filter with clean-traffic/),
    ]);
  });

  it("is not all without the operator's own networks", async () => {
    expect((await stand.run(checkFilter, { managementNetworks: [] })).slice(1)).toEqual([
      expect.stringMatching(/^warning isolation on h1: management_networks is not set: .* -> set management_networks/),
    ]);
  });

  it("is tried at the host, at other hosts, at the operator's networks and at the metadata address", async () => {
    const { targets, control } = await targetsOn(stand.place(), AbortSignal.timeout(10_000));
    const ports = (ip: string) => targets.filter((one) => one.ip === ip).map(({ port }) => port);
    expect(ports("127.66.1.1")).toEqual([22, 16_509, 65_000]);
    expect(ports("127.66.1.2")).toEqual([22, 16_509, 65_000]);
    expect(ports("127.66.2.2")).toEqual([22, 16_509, 65_000]);
    expect(ports("192.0.2.1")).toEqual([22, 65_000]);
    expect(ports("169.254.169.254")).toEqual([80]);
    expect(control).toEqual({ ip: expect.stringMatching(/^127\./), port: 53 });
  });

  it("is a problem without the filter", async () => {
    stand.refuse("nwfilter-dumpxml clean-traffic", "failed to get nwfilter 'clean-traffic'");
    expect(await stand.run(checkFilter)).toEqual([
      expect.stringMatching(
        /^problem isolation on h1: .* -> on the host: apt-get install libvirt-daemon-config-nwfilter/,
      ),
    ]);
  });
});
