import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { holdRules, refusalOf, type SettingRule } from "../../../../test/support/setting-rules.ts";
import { parseConfigFile } from "../../../config/file.ts";

/** One cluster that has these settings on top of the few it needs; undefined removes one. */
function fileWith(settings: Readonly<Record<string, unknown>>): string {
  const least = { name: "north", urls: ["unix:///run/incus.socket"], region: "us-east-1", network: "lxdbr0" };
  return stringify({ incus: [{ ...least, ...settings }] });
}

const parse = (settings: Readonly<Record<string, unknown>>) => parseConfigFile(fileWith(settings), "lessor.yaml");
const refusal = (text: string) => refusalOf(() => parseConfigFile(text, "lessor.yaml"));

const rules: readonly SettingRule[] = [
  {
    path: "urls",
    takes: [["https://10.0.0.1:8443"], Array.from({ length: 16 }, (_, i) => `https://10.0.0.${i}`)],
    refuses: [[], Array.from({ length: 17 }, (_, i) => `https://hunter2.${i}`), "https://hunter2", { hunter2: 1 }],
    says: "a list of 1 to 16 URLs",
  },
  { path: "urls[0]", takes: [], refuses: [4711, null, ["hunter2"]], says: "a URL such as" },
  {
    path: "tls",
    takes: [],
    refuses: ["hunter2", ["hunter2"], 4711],
    says: "a map of certificate, key, fingerprint, ca",
  },
  ...["certificate", "key", "ca"].map((key) => ({
    path: `tls.${key}`,
    takes: ["client.pem", "/etc/x y"],
    refuses: ["", "hunt\0er2", 4711],
    says: "the path of a file",
  })),
  {
    path: "tls.fingerprint",
    takes: ["ab".repeat(32), "AB".repeat(32), Array(32).fill("Ab").join(":")],
    refuses: ["ab".repeat(31), "ab".repeat(33), "xy".repeat(32), `ab:${"ab".repeat(31)}`, "SHA256:x", 1234567890],
    says: "the SHA-256 fingerprint of the server's certificate, 64 hex digits",
  },
  {
    path: "region",
    takes: ["us-east-1", "7"],
    refuses: ["", "hunter 2", "a".repeat(65), 4711],
    says: "a name of 1 to 64",
  },
  { path: "regions", takes: [{}], refuses: ["hunter2", ["hunter2"]], says: "a map from member group to region" },
  { path: "regions.gpu-east", takes: ["us-east-1"], refuses: ["", "hunter 2", 4711], says: "a name of 1 to 64" },
  {
    path: "kind",
    takes: ["virtual-machine", "container"],
    refuses: ["vm", "Container", true],
    says: "virtual-machine or container",
  },
  ...["project", "pool", "network", "profile"].map((path) => ({
    path,
    takes: ["default", "r", "gpu.rent_2", "ö".repeat(63)],
    refuses: ["", "../../..", "hunter/2", "hunter 2", "hunter?2", "hunter2".repeat(10), 4711],
    says: "1 to 63 characters",
  })),
  {
    path: "images",
    takes: [{}],
    refuses: ["hunter2", ["hunter2"]],
    says: "a map from an image's name in the catalog",
  },
  { path: "images.debian-12", takes: [], refuses: ["hunter2"], says: "a map of alias, fingerprint, server, protocol" },
  {
    path: "images.debian-12.alias",
    takes: ["debian/12/cloud"],
    refuses: ["", "hunter 2", 4711],
    says: "an alias such as",
  },
  {
    path: "images.debian-12.fingerprint",
    takes: ["0f".repeat(32)],
    refuses: ["0f".repeat(6), Array(32).fill("0f").join(":"), 12345678],
    says: "the whole fingerprint of an image",
  },
  {
    path: "images.debian-12.server",
    takes: [],
    refuses: ["http://hunter2", "hunter2", 4711],
    says: "the https:// URL",
  },
  {
    path: "images.debian-12.protocol",
    takes: ["simplestreams", "incus", "lxd"],
    refuses: ["oci", "LXD"],
    says: "simplestreams, incus or lxd",
  },
  {
    path: "host_prefix",
    takes: ["", "north-", "n_.1"],
    refuses: ["hunter/2", "hunter 2", "a".repeat(41), 4711],
    says: "at most 40 letters",
  },
];

holdRules("incus", parse, rules, { tls: { certificate: "c", key: "k" }, images: {} });

describe("a text in the file that YAML takes for a number or the like", () => {
  it.each(["0123456789", "22.04", "1e3", "0x1f", "true"])("is refused with the advice to quote it: %s", (bare) => {
    const message = "incus[0].name in lessor.yaml must be a name of 1 to 40";
    expect(refusal(`incus: [{ name: ${bare}, urls: [a] }]`)).toContain(message);
    expect(refusal(`incus: [{ name: ${bare}, urls: [a] }]`)).toContain("in quotes if it looks like a number");
  });

  it.each(["22.04: { alias: x }", "2204: { alias: x }", "true: { alias: x }"])("is refused as a key: %s", (entry) => {
    expect(refusal(`incus: [{ name: n, urls: [a], images: { ${entry} } }]`)).toContain(
      "incus[0].images in lessor.yaml has a key that YAML reads as a number, true, false or null instead of text",
    );
  });
});

describe("a setting of a cluster that is missing", () => {
  it.each([
    ["name", { name: undefined }, "incus[0].name in lessor.yaml is required: a name of 1 to 40"],
    ["name without a value", { name: null }, "incus[0].name in lessor.yaml is required: a name of 1 to 40"],
    ["urls", { urls: undefined }, "incus[0].urls in lessor.yaml is required: a list of 1 to 16 URLs"],
    [
      "tls.certificate",
      { tls: { key: "k" } },
      "incus[0].tls.certificate in lessor.yaml is required: the path of a file",
    ],
    ["tls.key", { tls: { certificate: "c" } }, "incus[0].tls.key in lessor.yaml is required: the path of a file"],
    [
      "a GPU model's name",
      { gpu_models: { "10de:2331": { memory_gib: 80 } } },
      "incus[0].gpu_models['10de:2331'].model in lessor.yaml is required: the model's name",
    ],
    [
      "a GPU model's memory",
      { gpu_models: { "10de:2331": { model: "h100" } } },
      "incus[0].gpu_models['10de:2331'].memory_gib in lessor.yaml is required: an integer from 1",
    ],
  ])("is named: %s", (_, settings, message) => {
    expect(refusal(fileWith(settings))).toContain(message);
  });

  it("is no matter where it has a default: a key without a value counts as not set, at any depth", () => {
    const settings = { kind: null, images: { x: null, y: { alias: "z", server: null } }, ssh_probe: { port: null } };
    expect(parse(settings).incus?.[0]).toEqual({
      name: "north",
      urls: ["unix:///run/incus.socket"],
      region: "us-east-1",
      network: "lxdbr0",
      images: { y: { alias: "z" } },
      ssh_probe: {},
    });
  });
});

describe("a key that a cluster does not have", () => {
  it.each([
    [{ regoin: "x" }, '"incus[0].regoin". Did you mean incus[0].region?'],
    [{ colour: null }, '"incus[0].colour". Known settings: name, urls, tls,'],
    [{ tls: { fingerprnt: "x" } }, '"incus[0].tls.fingerprnt". Did you mean incus[0].tls.fingerprint?'],
    [{ images: { x: { alais: "y" } } }, '"incus[0].images.x.alais". Did you mean incus[0].images.x.alias?'],
    [
      { gpu_models: { "10de:2331": { modle: "y" } } },
      "\"incus[0].gpu_models['10de:2331'].modle\". Did you mean incus[0].gpu_models['10de:2331'].model?",
    ],
  ])("is refused with a correction: %j", (settings, message) => {
    expect(refusal(fileWith(settings))).toContain(`lessor.yaml has an unknown setting ${message}`);
  });

  it.each([
    [
      { regions: { "gpu/east": "x" } },
      "incus[0].regions['gpu/east'] in lessor.yaml: each key of incus[0].regions must be",
    ],
    [{ regions: { "1": "x" } }, "and not digits only"],
    [{ regions: { "../../..": "x" } }, "the name of a member group"],
    [{ images: { "a b": { alias: "x" } } }, "each key of incus[0].images must be a name of 1 to 64"],
    [{ images: { "-x": null } }, "each key of incus[0].images must be a name of 1 to 64"],
    [{ gpu_models: { h100: { model: "x", memory_gib: 1 } } }, 'must be a PCI vendor and device such as "10de:2331"'],
    [{ gpu_models: { "0x10de:0x2331": { model: "x", memory_gib: 1 } } }, "must be a PCI vendor and device"],
  ])("is refused with the rule where keys are free: %j", (settings, message) => {
    expect(refusal(fileWith(settings))).toContain(message);
  });
});

describe("a free key with a meaning in JSON pointers", () => {
  it("is named as it was written", () => {
    expect(refusal(fileWith({ regions: { "a~1b": 4711 } }))).toContain(
      "incus[0].regions['a~1b'] in lessor.yaml must be",
    );
  });
});

describe("the list of clusters", () => {
  it("may be empty or without a value", () => {
    expect(parseConfigFile("incus: []", "lessor.yaml")).toEqual({ incus: [] });
    expect(parseConfigFile("incus:", "lessor.yaml")).toEqual({});
  });

  it.each(["incus: { name: north }", "incus: hunter2", "incus: 4711"])("is refused as anything else: %s", (text) => {
    expect(refusal(text)).toBe("incus in lessor.yaml must be a list of clusters, each a map.");
  });

  it.each(["incus: [hunter2]", "incus: [~]", "incus: [[name, hunter2]]", "incus:\n  -\n"])("has maps: %j", (text) => {
    expect(refusal(text)).toContain("incus[0] in lessor.yaml must be a map of name, urls, tls,");
    expect(refusal(text)).not.toContain("hunter2");
  });

  it("says which one is wrong", () => {
    const text = "incus: [{ name: a, urls: [x] }, { name: b, urls: [x], cpu_ratio: 99 }]";
    expect(refusal(text)).toBe("incus[1].cpu_ratio in lessor.yaml must be a number from 0.1 to 32.");
  });
});
