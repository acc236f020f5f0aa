import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand, faultsIn } from "../../../../test/support/check-stand.ts";
import { checkNetwork } from "./network.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const fit = { type: "bridge", managed: true, status: "Created", locations: ["m1", "m2"] };
const config = { "ipv4.address": "10.0.0.1/24", "ipv6.address": "none" };
const told = (network: object) => {
  stand.answer("/1.0/networks/lxdbr0", { ...fit, config, ...network });
  return stand.run(checkNetwork);
};

describe("a managed network", () => {
  it("that is a bridge is told with how machines are kept apart", async () => {
    expect(await told({})).toEqual([
      "ok network lxdbr0: bridge, 10.0.0.1/24 without NAT; port isolation, MAC and IPv4 filtering for each machine",
    ]);
    expect((await told({ config: { ...config, "ipv4.nat": "true", "ipv6.address": "fd00::1/64" } }))[0]).toMatch(
      /with NAT; port isolation, MAC, IPv4 and IPv6 filtering/,
    );
  });

  it.each<[string, object, RegExp]>([
    ["is not managed", { managed: false }, /is not managed by the cluster/],
    ["failed", { status: "Errored" }, /is errored/],
    [
      "is missing on a member",
      { locations: ["m1"] },
      /is not created on m2 -> lxc network create lxdbr0 --target <member>/,
    ],
    ["has no IPv4", { config: { "ipv4.address": "none" } }, /gives no IPv4 addresses -> .*ipv4.address=auto/],
    ["has no DHCP", { config: { ...config, "ipv4.dhcp": "false" } }, /has no DHCP.* -> .*ipv4.dhcp=true/],
    [
      "has IPv6 without DHCP",
      { config: { ...config, "ipv6.address": "fd00::1/64", "ipv6.dhcp": "false" } },
      /has IPv6 without DHCP.* -> .*ipv6.dhcp=true/,
    ],
  ])("that %s is a problem", async (_, network, line) => {
    const faults = faultsIn(await told(network));
    expect(faults).toEqual([expect.stringMatching(/^problem network lxdbr0: /)]);
    expect(faults[0]).toMatch(line);
  });

  it.each(["bridge", "ovn"])("of type %s whose settings our certificate may not see is no problem", async (type) => {
    expect(await told({ type, config: {} })).toEqual([
      `ok network lxdbr0: ${type}; its configuration is hidden from this certificate; the test instance verifies it`,
    ]);
  });

  it("whose settings are not seen is a problem all the same where it is missing on a member", async () => {
    expect(faultsIn(await told({ config: {}, locations: ["m1"] }))).toEqual([
      expect.stringMatching(/^problem network lxdbr0: is not created on m2/),
    ]);
  });

  it("that does not exist tells how it is made", async () => {
    stand.refuse("/1.0/networks/lxdbr0", 404, "Network not found");
    expect(await stand.run(checkNetwork, { settings: { project: "rent" } })).toEqual([
      expect.stringMatching(/^problem network lxdbr0: does not exist -> lxc --project rent network create lxdbr0/),
    ]);
  });

  it("of another type leaves isolation to the operator, and says so", async () => {
    expect(await told({ type: "ovn" })).toEqual([
      expect.stringMatching(
        /^warning network lxdbr0: is of type ovn, for which the engine sets neither port isolation/,
      ),
    ]);
  });
});

describe("a profile", () => {
  const settings = { nic: { kind: "profile", profile: "rent" } } as const;
  const isolated = {
    "security.port_isolation": "true",
    "security.mac_filtering": "true",
    "security.ipv4_filtering": "true",
  };
  const profile = (devices: object) => {
    stand.answer("/1.0/profiles/rent", { devices });
    return stand.run(checkNetwork, { settings });
  };

  it("with an isolated NIC is fine", async () => {
    expect(await profile({ eth0: { type: "nic", ...isolated } })).toEqual(["ok profile rent: has the NIC eth0"]);
  });

  it("whose NIC isolates nothing is warned of, by the missing keys", async () => {
    const told = await profile({ eth0: { type: "nic", ...isolated, "security.port_isolation": "false" } });
    expect(told[1]).toMatch(
      /^warning profile rent: its NIC eth0 lacks security.port_isolation for isolation;.*profile device set rent eth0 security.port_isolation=true$/,
    );
  });

  it("without a NIC, with one that is not found by name, or that does not exist is a problem", async () => {
    expect(await profile({ root: { type: "disk" } })).toEqual([
      expect.stringMatching(/^problem .*has no NIC.*nic network=/),
    ]);
    expect((await profile({ uplink: { type: "nic", ...isolated } }))[0]).toMatch(/^problem .*names its NIC uplink/);
    stand.refuse("/1.0/profiles/rent", 404, "Fetch profile: Profile not found");
    expect(await stand.run(checkNetwork, { settings })).toEqual([
      expect.stringMatching(/^problem profile rent: does not exist -> lxc profile create rent, then/),
    ]);
  });
});
