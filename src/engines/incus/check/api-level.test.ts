import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand, serverInfo } from "../../../../test/support/check-stand.ts";
import { checkApiLevel } from "./api-level.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const of = (server: string, server_version: string) =>
  stand.run(checkApiLevel, { server: serverInfo({ server, server_version }) });

describe("the version of a cluster", () => {
  it.each([
    ["lxd", "5.0.2"],
    ["lxd", "5.21.3"],
    ["lxd", "6.1"],
    ["incus", "6.0.0"],
    ["incus", "6.12"],
    ["incus", "10.0"],
  ])("%s %s is taken", async (software, version) => {
    expect(await of(software, version)).toEqual([`ok API: ${software} ${version} with all required extensions`]);
  });

  it.each([
    ["lxd", "4.24", "5.0"],
    ["lxd", "3.0.3", "5.0"],
    ["incus", "0.7", "6.0"],
    ["incus", "5.9", "6.0"],
  ])("%s %s is too old", async (software, version, least) => {
    expect(await of(software, version)).toEqual([
      `problem API: this is ${software} ${version} -> upgrade to ${least} or newer`,
    ]);
  });

  it("of something else is refused", async () => {
    expect(await of("other", "9.0")).toEqual([
      "problem API: this is other 9.0 -> use Incus 6.0 or newer, or LXD 5.0 or newer",
    ]);
  });
});

describe("an extension that is missing", () => {
  const without = (name: string) => {
    const server = serverInfo();
    return { ...server, api_extensions: server.api_extensions.filter((one) => one !== name) };
  };

  it("is named with what it is for", async () => {
    expect(await stand.run(checkApiLevel, { server: without("cloud_init") })).toEqual([
      "problem API: the extension cloud_init is missing (needed for keys, users and commands of the guests) -> upgrade the cluster",
    ]);
  });

  it.each([
    ["virtual-machines", { kind: "container" }, { kind: "virtual-machine" }],
    ["container_nic_ipfilter", { nic: { kind: "profile", profile: "x" } }, { nic: { kind: "network", network: "x" } }],
    [
      "clustering_groups",
      { regionOf: { kind: "all", region: "x" } },
      { regionOf: { kind: "groups", groups: [{ group: "x", region: "x" }] } },
    ],
  ] as const)("matters only where the settings need it: %s", async (name, needless, needed) => {
    const server = without(name);
    expect(await stand.run(checkApiLevel, { server, settings: needless })).toEqual([expect.stringMatching(/^ok/)]);
    expect(await stand.run(checkApiLevel, { server, settings: needed })).toEqual([
      expect.stringContaining(`problem API: the extension ${name} is missing`),
    ]);
  });
});
