import { expect, it } from "vitest";
import { egressRules } from "./egress.ts";

const drop = { action: "drop", state: "enabled" };

it("a machine is kept from its network but for DHCP and DNS, from the operator's networks and from metadata services", () => {
  expect(egressRules(["10.1.2.1/24"], ["10.0.0.0/24"])).toEqual([
    { ...drop, destination: "10.1.2.0-10.1.2.0" },
    { ...drop, destination: "10.1.2.2-10.1.2.255" },
    { ...drop, destination: "10.1.2.1/32", protocol: "tcp", destination_port: "1-52,54-65535" },
    { ...drop, destination: "10.1.2.1/32", protocol: "udp", destination_port: "1-52,54-66,68-65535" },
    { ...drop, destination: "10.1.2.1/32", protocol: "icmp4" },
    { ...drop, destination: "169.254.0.0/16" },
    { ...drop, destination: "fd00:ec2::254/128" },
    { ...drop, destination: "10.0.0.0/24" },
  ]);
});

it("a router at the end of its network leaves no rule for nothing, and IPv6 is the network's own", () => {
  const destinations = egressRules(["10.1.2.3/30", "fd42::1/64"], []).map(({ destination }) => destination);
  expect(destinations.slice(0, 2)).toEqual(["10.1.2.0-10.1.2.2", "10.1.2.3/32"]);
  expect(destinations.join()).not.toContain("fd42");
});
