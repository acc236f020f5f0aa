import { describe, expect, it } from "vitest";
import { readOne, type XmlNode } from "../xml/read.ts";
import { filterXml } from "./filter-xml.ts";

const id = "0197a1b2-0000-7000-8000-000000000001";
const boundary = {
  gateways: ["10.216.0.1"],
  host: ["10.216.0.1/32", "192.0.2.5/32"],
  closed: ["10.216.0.1/24", "169.254.0.0/16"],
  management: ["10.0.0.0/24"],
};

interface Packet {
  readonly to: string;
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly port?: number;
  /** Of TCP: the first of a connection, or any other. */
  readonly opens?: boolean;
}

const number = (ip: string) => ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

function matches(match: XmlNode, { to, protocol, port, opens }: Packet): boolean {
  const size = 2 ** (32 - (match.number("dstipmask") ?? 32));
  const inside = (ip: string) => Math.floor(number(ip) / size);
  if (inside(to) !== inside(match.attribute("dstipaddr") ?? "")) return false;
  const wanted = match.name === "ip" ? match.attribute("protocol") : match.name;
  if (wanted !== undefined && wanted !== protocol) return false;
  const [first, last] = [match.number("dstportstart"), match.number("dstportend")];
  if (first !== undefined && last !== undefined && !(port !== undefined && first <= port && port <= last)) return false;
  return match.attribute("flags") === undefined || opens === true;
}

/** Whether the packet leaves the guest, by the rules of both layers as libvirt orders them. */
function leaves(packet: Packet): boolean {
  const rules = readOne(filterXml(id, boundary)).all("rule");
  const layers = ["ip", "tcp"].map((layer) =>
    rules
      .filter((rule) => rule.one(layer) !== undefined)
      .sort((a, b) => Number(a.attribute("priority") ?? 500) - Number(b.attribute("priority") ?? 500)),
  );
  return layers.every((layer) => {
    const first = layer.find((rule) =>
      rule
        .all("ip")
        .concat(rule.all("tcp"))
        .some((match) => matches(match, packet)),
    );
    return first?.attribute("action") !== "drop";
  });
}

const opening = (to: string, port: number): Packet => ({ to, protocol: "tcp", port, opens: true });

describe("the filter of a machine", () => {
  it("is named as its domain, is the same one each time, and keeps what it comes from a false address", () => {
    const root = readOne(filterXml(id, boundary));
    expect(root.attribute("name")).toBe(`lessor-${id}`);
    expect(root.one("uuid")?.text).toBe(id);
    expect(root.one("filterref")?.attribute("filter")).toBe("clean-traffic");
    expect(root.all("rule").map((rule) => rule.attribute("direction"))).not.toContain("in");
  });

  it("decides after the checks for false addresses, and before clean-traffic lets IPv4 out", () => {
    const rules = readOne(filterXml(id, boundary)).all("rule");
    for (const rule of rules.filter((one) => one.one("ip") !== undefined)) {
      const priority = Number(rule.attribute("priority"));
      expect(priority).toBeGreaterThan(-710);
      expect(priority).toBeLessThan(-650);
    }
  });

  it.each<[string, Packet]>([
    ["the internet", opening("198.51.100.7", 443)],
    ["the internet by UDP", { to: "1.1.1.1", protocol: "udp", port: 53 }],
    ["DHCP, which it asks everybody", { to: "255.255.255.255", protocol: "udp", port: 67 }],
    ["DHCP of its host, for a renewal", { to: "10.216.0.1", protocol: "udp", port: 67 }],
    ["DNS of its host", { to: "10.216.0.1", protocol: "udp", port: 53 }],
    ["DNS of its host by TCP", opening("10.216.0.1", 53)],
    ["its host, in reply", { to: "10.216.0.1", protocol: "tcp", port: 40_000 }],
    ["its host's other address, in reply", { to: "192.0.2.5", protocol: "tcp", port: 40_000 }],
    ["the operator's networks, in reply", { to: "10.0.0.9", protocol: "tcp", port: 32_768 }],
  ])("lets it reach %s", (_what, packet) => {
    expect(leaves(packet)).toBe(true);
  });

  it.each<[string, Packet]>([
    ["libvirt of its host", opening("10.216.0.1", 16_509)],
    ["SSH of its host at another address", opening("192.0.2.5", 22)],
    ["DNS of its host at another address", opening("192.0.2.5", 53)],
    ["its host on a high port", opening("10.216.0.1", 49_152)],
    ["its host by UDP", { to: "192.0.2.5", protocol: "udp", port: 40_000 }],
    ["its host by ICMP", { to: "10.216.0.1", protocol: "icmp" }],
    ["the operator's networks", opening("10.0.0.9", 443)],
    ["the operator's networks on a high port", opening("10.0.0.9", 49_152)],
    ["another machine of its network", opening("10.216.0.7", 22)],
    ["another machine of its network, as if in reply", { to: "10.216.0.7", protocol: "tcp", port: 40_000 }],
    ["a metadata service", opening("169.254.169.254", 80)],
  ])("keeps it from %s", (_what, packet) => {
    expect(leaves(packet)).toBe(false);
  });
});
