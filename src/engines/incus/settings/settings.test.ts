import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseConfigFile } from "../../../config/file.ts";
import { ConfigError } from "../../../settings/error.ts";
import { IncusClusterSchema } from "./schema.ts";
import { type IncusSettings, resolveIncus } from "./settings.ts";

const directory = mkdtempSync(join(tmpdir(), "lessor-config-"));
for (const name of ["client.crt", "client.key"]) writeFileSync(join(directory, name), "");
afterAll(() => rmSync(directory, { recursive: true }));

function clusters(text: string): readonly IncusSettings[] {
  return resolveIncus(parseConfigFile(text, "lessor.yaml").incus, { name: "lessor.yaml", directory });
}

/** One cluster that needs nothing but these lines. */
const least = "name: north\nurls: [unix:///run/incus.socket]\nregion: us-east-1\nnetwork: lxdbr0\n";

function cluster(text: string): IncusSettings {
  const [one] = clusters(`incus:\n  - ${text.trim().replaceAll("\n", "\n    ")}`);
  if (one === undefined) throw new Error("there is no cluster");
  return one;
}

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

describe("a file that says nothing of clusters", () => {
  it.each(["", "incus:", "incus: []"])("has none: %j", (text) => {
    expect(clusters(text)).toEqual([]);
  });
});

describe("a cluster", () => {
  it("needs a name, an address, a region and a network; the rest has defaults", () => {
    expect(cluster(least)).toEqual({
      name: "north",
      endpoints: [{ kind: "unix", path: "/run/incus.socket" }],
      tls: undefined,
      regionOf: { kind: "all", region: "us-east-1" },
      kind: "virtual-machine",
      project: "default",
      pool: "default",
      nic: { kind: "network", network: "lxdbr0" },
      managementNetworks: [],
      images: {},
      gpuModels: {},
      reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
      cpuRatio: 1,
      sshProbe: { kind: "tcp", port: 22 },
      stopGraceSeconds: 30,
      hostPrefix: "",
    });
  });

  it("may set everything", () => {
    const text = `
name: north
urls:
  - https://10.0.0.1:8443
  - unix:///var/lib/incus/unix.socket
tls:
  certificate: client.crt
  key: client.key
  fingerprint: "${"AB".repeat(32)}"
regions: { gpu-west: us-west-1, gpu-east: us-east-1 }
kind: container
project: rent
pool: fast
profile: rent
images:
  ubuntu-22.04: { alias: ubuntu/22.04/cloud, server: https://images.example.com, protocol: simplestreams }
  debian-12: { fingerprint: "${"cd".repeat(32)}" }
gpu_models:
  10DE:2331: { model: h100_pcie, memory_gib: 80 }
reserved: { vcpus: 2, memory_gib: 8, storage_gb: 50 }
cpu_ratio: 1.5
ssh_probe: { command: ["ssh", "-W", "{ip}:{port}", "probe@{host}"], port: 2222 }
stop_grace_seconds: 60
host_prefix: north-
`;
    expect(cluster(text)).toEqual({
      name: "north",
      endpoints: [
        { kind: "https", url: "https://10.0.0.1:8443" },
        { kind: "unix", path: "/var/lib/incus/unix.socket" },
      ],
      tls: {
        certificate: join(directory, "client.crt"),
        key: join(directory, "client.key"),
        trust: { kind: "fingerprint", sha256: "ab".repeat(32) },
      },
      regionOf: {
        kind: "groups",
        groups: [
          { group: "gpu-west", region: "us-west-1" },
          { group: "gpu-east", region: "us-east-1" },
        ],
      },
      kind: "container",
      project: "rent",
      pool: "fast",
      nic: { kind: "profile", profile: "rent" },
      managementNetworks: [],
      images: {
        "ubuntu-22.04": {
          kind: "server",
          alias: "ubuntu/22.04/cloud",
          server: "https://images.example.com",
          protocol: "simplestreams",
        },
        "debian-12": { kind: "fingerprint", fingerprint: "cd".repeat(32) },
      },
      gpuModels: { "10de:2331": { model: "h100_pcie", memoryGib: 80 } },
      reserved: { vcpus: 2, memoryGib: 8, storageGb: 50 },
      cpuRatio: 1.5,
      sshProbe: { kind: "command", command: ["ssh", "-W", "{ip}:{port}", "probe@{host}"], port: 2222 },
      stopGraceSeconds: 60,
      hostPrefix: "north-",
    });
  });

  it("knows networks from which guests are reached, one address as a network of its own", () => {
    const { managementNetworks } = cluster(`${least}\nmanagement_networks: [10.0.0.0/24, 10.0.0.7, "2001:db8::1"]\n`);
    expect(managementNetworks).toEqual(["10.0.0.0/24", "10.0.0.7/32", "2001:db8::1/128"]);
    for (const wrong of ["nowhere", "10.0.0.0/33", "10.0.0", "0x7f000001"]) {
      expect(() => cluster(`${least}\nmanagement_networks: ["${wrong}"]\n`)).toThrow(/management_networks/);
    }
    const profile = least.replace(/^network: .*$/m, "profile: rent");
    expect(() => cluster(`${profile}\nmanagement_networks: [10.0.0.0/24]\n`)).toThrow(/requires network/);
  });

  it("keeps the order of member groups, for the first that matches counts", () => {
    const text = least.replace("region: us-east-1", "regions: { z: r1, 2b: r2, a: r3 }");
    const { regionOf } = cluster(text);
    expect(regionOf.kind === "groups" && regionOf.groups.map(({ group }) => group)).toEqual(["z", "2b", "a"]);
  });

  it("has no image that it does not name, whatever its name is", () => {
    const { images } = cluster(least);
    expect([images.constructor, images.toString]).toEqual([undefined, undefined]);
  });

  it.each([
    [`${least}regions: { hunter2: us-west-1 }`, "incus[0] in lessor.yaml must have either region (one for"],
    [least.replace("region: us-east-1", ""), "incus[0] in lessor.yaml must have either region (one for"],
    [least.replace("region: us-east-1", "region:"), "incus[0] in lessor.yaml must have either region (one for"],
    [least.replace("region: us-east-1", "regions: {}"), "incus[0].regions in lessor.yaml must name at least one"],
    [least.replace("region: us-east-1", "regions: { a: }"), "incus[0].regions in lessor.yaml must name at least one"],
    [`${least}profile: hunter2`, "incus[0] in lessor.yaml must have either network (a managed network of"],
    [least.replace("network: lxdbr0", ""), "incus[0] in lessor.yaml must have either network (a managed network of"],
    [`${least}ssh_probe: { command: [hunter2] }`, "incus[0].ssh_probe.command in lessor.yaml must contain {ip}"],
    [`${least}images: { hunter2: { protocol: lxd, alias: x } }`, "images.hunter2.protocol in lessor.yaml must not be"],
    [`${least}tls: { certificate: client.crt, key: hunter2 }`, "incus[0].tls in lessor.yaml must not be set"],
    [least.replace("unix:///run/incus.socket", "https://hunter2"), "incus[0].tls in lessor.yaml is required"],
    [least.replace("unix:///run/incus.socket", "ftp://hunter2"), "incus[0].urls[0] in lessor.yaml must be https://"],
  ])("is refused by the name of the setting, and no value is repeated: %s", (text, message) => {
    const said = refusal(() => cluster(text));
    expect(said).toContain(message);
    expect(said.replace("images.hunter2.protocol", "")).not.toMatch(/hunter2|us-east-1|lxdbr0|run\/incus/);
  });
});

describe("several clusters", () => {
  const item = (text: string) => `  - ${text.trim().replaceAll("\n", "\n    ")}\n`;

  it("are engines in the order of the file", () => {
    const text = `incus:\n${item(least)}${item(least.replace("north", "south"))}`;
    expect(clusters(text).map(({ name }) => name)).toEqual(["north", "south"]);
  });

  it("are told apart in messages", () => {
    const text = `incus:\n${item(least)}${item(least.replace("north", "south").replace("network: lxdbr0", ""))}`;
    expect(refusal(() => clusters(text))).toContain("incus[1] in lessor.yaml must have either network");
  });
});

describe("docs/reference/settings-incus.md", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/reference/settings-incus.md"), "utf8");
  const section = page.split("\n## ").find((one) => one.startsWith("Incus and LXD clusters\n")) ?? "";
  const keys = Object.keys(IncusClusterSchema.properties);

  it("has an example that works", () => {
    const example = /```yaml\n(incus:\n[\s\S]*?)```/.exec(section)?.[1] ?? "";
    expect(clusters(example)).toMatchObject([{ name: "north", tls: { trust: { kind: "fingerprint" } } }]);
    // Of two settings that exclude each other it has one.
    expect(keys.filter((key) => !new RegExp(`^ {2}(  |- )${key}:`, "m").test(example))).toEqual(["region", "profile"]);
  });

  it("says what each setting means", () => {
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const told = rows.map((row) => row.split("|")[1] ?? "").join(" ");
    expect(keys.filter((key) => !told.includes(`\`${key}`))).toEqual([]);
  });
});
