import { describe, expect, it } from "vitest";
import { settingsFor } from "../../../test/support/fake-incus/index.ts";
import type { ApiInstance, FullInstance } from "./api.ts";
import { openCluster } from "./cluster.ts";
import { marks } from "./marks.ts";
import { addressOf, reportOf } from "./report.ts";
import { Seen } from "./seen.ts";

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
    seen.note("x", instance(), "10.0.0.5", false);
    expect(report({}, seen)).toMatchObject({ ip: "10.0.0.5", usable: false, progress: "waiting for SSH to answer" });
    seen.note("x", instance(), "10.0.0.5", true);
    expect(report({}, seen)).toMatchObject({ ip: "10.0.0.5", usable: true, progress: undefined });
  });

  it("that was seen in another boot says nothing of that", () => {
    const seen = new Seen();
    seen.note("x", instance(), "10.0.0.5", true);
    expect(report({ last_used_at: "2026-01-02T00:00:00Z" }, seen)).toMatchObject({ ip: undefined, usable: false });
  });

  it("that runs and is untold says so, and is not usable whatever was seen", () => {
    const seen = new Seen();
    seen.note("x", instance(), "10.0.0.5", true);
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
    seen.note("x", instance(), "10.0.0.5", true);
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

  it("is unknown while there is none, or no state at all", () => {
    expect(of({ eth0: [] })).toBeUndefined();
    expect(of({ eth0: null })).toBeUndefined();
    expect(of(null)).toBeUndefined();
    expect(addressOf({ ...instance(), state: null })).toBeUndefined();
    expect(addressOf(instance())).toBeUndefined();
  });
});
