import { describe, expect, it } from "vitest";
import { settingsFor } from "../../../test/support/fake-incus/stand.ts";
import { Seen } from "../readiness/cached-observation.ts";
import type { ApiInstance, FullInstance } from "./api.ts";
import { openCluster } from "./cluster.ts";
import { marks } from "./labels.ts";
import { addressOf, reportOf } from "./report.ts";

const settings = settingsFor({ endpoints: [{ kind: "unix", path: "/nowhere" }], hostPrefix: "east-" });
const cluster = openCluster(settings, "installation-1");

function instance(part: Partial<ApiInstance> = {}): ApiInstance {
  return {
    name: "lessor-x",
    status: "Running",
    type: "container",
    location: "m1",
    last_used_at: "2026-01-01T00:00:00Z",
    config: { [marks.told]: "true" },
    ...part,
  };
}

const report = (part: Partial<ApiInstance> = {}, seen = new Seen()) => reportOf(cluster, seen, "x", instance(part));

describe("the report on a machine", () => {
  it("that runs and was not seen yet is that it runs, and no more", () => {
    expect(report()).toEqual({
      id: "x",
      host: "east-m1",
      power: "running",
      usable: false,
      ip: undefined,
      progress: "waiting for an address",
    });
  });

  it("that was seen says its address, and whether it is usable", () => {
    const seen = new Seen();
    seen.note("x", instance().last_used_at, "10.0.0.5", false);
    expect(report({}, seen)).toMatchObject({ ip: "10.0.0.5", usable: false, progress: "waiting for SSH to answer" });
    seen.note("x", instance().last_used_at, "10.0.0.5", true);
    expect(report({}, seen)).toMatchObject({ ip: "10.0.0.5", usable: true, progress: undefined });
  });

  it("that was seen in another boot says nothing of that", () => {
    const seen = new Seen();
    seen.note("x", instance().last_used_at, "10.0.0.5", true);
    expect(report({ last_used_at: "2026-01-02T00:00:00Z" }, seen)).toMatchObject({ ip: undefined, usable: false });
  });

  it("that runs and is untold says so, and is not usable whatever was seen", () => {
    const seen = new Seen();
    seen.note("x", instance().last_used_at, "10.0.0.5", true);
    expect(report({ config: {} }, seen)).toMatchObject({
      power: "running",
      untold: true,
      usable: false,
      ip: undefined,
    });
  });

  it.each([
    ["Starting", "starting"],
    ["Stopping", "stopping"],
    ["Frozen", "frozen"],
    ["Error", "error"],
  ])("that is %s is neither running nor halted", (status, progress) => {
    expect(report({ status })).toMatchObject({ power: "starting", usable: false, progress });
  });

  it("that is halted has no address", () => {
    const seen = new Seen();
    seen.note("x", instance().last_used_at, "10.0.0.5", true);
    expect(report({ status: "Stopped" }, seen)).toMatchObject({ power: "halted", usable: false, ip: undefined });
  });
});

describe("the address of a guest", () => {
  const v4 = (address: string, scope = "global") => ({ family: "inet", address, scope });
  const v6 = (address: string, scope = "global") => ({ family: "inet6", address, scope });
  const of = (network: Record<string, ReturnType<typeof v4>[] | null> | null): string | undefined => {
    const shown =
      network && Object.fromEntries(Object.entries(network).map(([name, addresses]) => [name, { addresses }]));
    const full: FullInstance = { ...instance(), state: { network: shown } };
    return addressOf(full);
  };

  it.each(["eth0", "enp5s0", "ens3"])("is that of %s", (name) => {
    expect(of({ lo: [v4("127.0.0.1", "local")], [name]: [v4("10.0.0.5")] })).toBe("10.0.0.5");
  });

  it("is IPv4 where there are both, in whatever order", () => {
    expect(of({ eth0: [v6("fd42::5"), v4("10.0.0.5")] })).toBe("10.0.0.5");
    expect(of({ enp5s0: [v6("fd42::5")], enp6s0: [v4("10.0.0.6")] })).toBe("10.0.0.6");
  });

  it("is IPv6 where there is no other, and never one of the link only", () => {
    expect(of({ eth0: [v6("fe80::1", "link"), v6("fd42::5")] })).toBe("fd42::5");
    expect(of({ eth0: [v6("fe80::1", "link"), v4("169.254.0.1", "link")] })).toBeUndefined();
  });

  it.each(["docker0", "lo", "wg0", "br-enp", "veth1", "tailscale0"])("is never that of %s, the guest's own", (name) => {
    expect(of({ [name]: [v4("172.17.0.1")] })).toBeUndefined();
  });

  describe("where the cluster says which NICs it gave", () => {
    const given = { "volatile.eth0.hwaddr": "00:16:3e:00:00:05", "volatile.base_image": "00:16:3e:00:00:09" };
    const nic = (address: string, hwaddr?: string, host_name?: string) => ({
      addresses: [v4(address)],
      ...(hwaddr === undefined ? {} : { hwaddr }),
      ...(host_name === undefined ? {} : { host_name }),
    });
    const among = (network: Record<string, ReturnType<typeof nic>>, config: Record<string, string> = given) =>
      addressOf({ ...instance({ config }), state: { network } });

    it("is that of the one with its MAC address, whatever the guest calls it", () => {
      expect(among({ uplink: nic("10.0.0.5", "00:16:3e:00:00:05") })).toBe("10.0.0.5");
    });

    it("is never that of one that the guest made itself, whatever it calls it", () => {
      const own = nic("172.17.0.1", "02:42:00:00:00:01");
      expect(among({ eth0: own, eth1: nic("172.18.0.1"), enp5s0: nic("10.0.0.5", "00:16:3e:00:00:05") })).toBe(
        "10.0.0.5",
      );
      expect(among({ eth0: own })).toBeUndefined();
      // A key of another meaning gives no NIC.
      expect(among({ eth0: nic("172.17.0.1", "00:16:3e:00:00:09") })).toBeUndefined();
    });

    it("is that of any of them where there are several", () => {
      const two = { "volatile.lan.hwaddr": "00:16:3e:00:00:06", "volatile.wan.hwaddr": "00:16:3e:00:00:07" };
      expect(among({ x: { addresses: [] }, y: nic("10.0.0.7", "00:16:3e:00:00:07") }, two)).toBe("10.0.0.7");
    });

    it("is that of the one with an end on the host, where the guest has given another the same MAC address", () => {
      const mac = "00:16:3e:00:00:05";
      const [copy, real] = [nic("172.17.0.1", mac, ""), nic("10.0.0.5", mac, "veth1234")];
      expect(among({ bridge: copy, eth0: real })).toBe("10.0.0.5");
      expect(among({ eth0: real, bridge: copy })).toBe("10.0.0.5");
      expect(among({ bridge: nic("172.17.0.1", mac), eth0: real })).toBe("10.0.0.5");
    });
  });

  it("is unknown while there is none, or no state at all", () => {
    expect(of({ eth0: [] })).toBeUndefined();
    expect(of({ eth0: null })).toBeUndefined();
    expect(of(null)).toBeUndefined();
    expect(addressOf({ ...instance(), state: null })).toBeUndefined();
    expect(addressOf(instance())).toBeUndefined();
  });
});
