// What lessor.yaml says of a wrong value in `openstack:`. Whether single values pass is in schema.test.ts.

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { holdRules, refusalOf, type SettingRule } from "../../../../test/support/setting-rules.ts";
import { parseConfigFile } from "../../../config/file.ts";

/** One cloud that has these settings on top of the few it needs; undefined removes one. */
function fileWith(settings: Readonly<Record<string, unknown>>): string {
  const least = { name: "cloud", cloud: "lessor", regions: { north: { network: "rent" } } };
  return stringify({ openstack: [{ ...least, ...settings }] });
}

const parse = (settings: Readonly<Record<string, unknown>>) => parseConfigFile(fileWith(settings), "lessor.yaml");

const longName = "hunter2".repeat(40);

const rules: readonly SettingRule[] = [
  { path: "cloud", takes: ["a b", "ö".repeat(255)], refuses: ["", longName, 4711], says: "the name of an entry in" },
  {
    path: "clouds_file",
    takes: ["clouds.yaml", "/etc/x y"],
    refuses: ["", "hunt\0er2", 4711],
    says: "the path of a file",
  },
  { path: "regions", takes: [], refuses: ["hunter2", ["hunter2"]], says: "a map from a region's name" },
  {
    path: "regions.north.network",
    takes: ["rent", "a/b?c"],
    refuses: ["", longName, 4711],
    says: "the name or id of a network",
  },
  ...[
    ["cloud_region", "the name of a region in the cloud"],
    ["floating_network", "the name or id of an external network"],
    ["aggregate", "the name of a host aggregate"],
    ["volume_type", "the name of a volume type"],
  ].map(([key = "", says = ""]) => ({
    path: `regions.north.${key}`,
    takes: ["x y", "n".repeat(255)],
    refuses: ["", longName, 4711],
    says,
  })),
  {
    path: "regions.north.availability_zone",
    takes: ["nova"],
    refuses: ["nova:hunter2", 4711],
    says: 'an availability zone, without ":"',
  },
  { path: "regions.north.notifications", takes: [], refuses: ["hunter2"], says: "a map of urls, user, password_file" },
  {
    path: "regions.north.notifications.urls",
    takes: [["amqps://rabbit:5671/nova"]],
    refuses: ["hunter2", []],
    says: "a list of 1 to 10 addresses of one RabbitMQ cluster",
  },
  {
    path: "regions.north.notifications.urls[0]",
    takes: ["amqps://rabbit"],
    refuses: ["amqp://me:hunter2@rabbit", "hunter2", 4711],
    says: "an address such as amqps://rabbit.example.com:5671/vhost",
  },
  { path: "regions.north.notifications.user", takes: ["a b"], refuses: ["", 4711], says: "a user of RabbitMQ" },
  {
    path: "regions.north.notifications.password_file",
    takes: ["rabbit-password"],
    refuses: ["hunt\0er2", 4711],
    says: "the path of a file",
  },
  { path: "regions.north.notifications.ca", takes: ["ca.pem"], refuses: ["", 4711], says: "the path of a file" },
  {
    path: "regions.north.notifications.exchange",
    takes: ["nova"],
    refuses: ["hunter 2", 4711],
    says: "the name of an exchange",
  },
  {
    path: "regions.north.notifications.topics",
    takes: [["notifications"]],
    refuses: ["hunter2", []],
    says: "a list of 1 to 10 topics",
  },
  { path: "regions.north.pools", takes: [], refuses: ["hunter2", [], 4711], says: "a list of 1 to 100 pools" },
  {
    path: "regions.north.pools[0].gpu",
    takes: ["CUSTOM_GPU_H200", "VGPU"],
    refuses: ["hunter2", "custom_gpu", 4711],
    says: "a resource class of Placement",
  },
  ...["vcpus", "memory_gib", "storage_gb"].map((key) => ({
    path: `regions.north.pools[0].${key}`,
    takes: [1, 1_000_000],
    refuses: [0, 1.5, "hunter2"],
    says: "an integer from 1 to",
  })),
  { path: "gpus", takes: [{}], refuses: ["hunter2", ["hunter2"]], says: "a map from a resource class" },
  {
    path: "gpus.CUSTOM_GPU_H200.trait",
    takes: ["CUSTOM_SXM"],
    refuses: ["", "hunter2", 4711],
    says: "a trait such as CUSTOM_GPU_H200_SXM",
  },
  {
    path: "gpus.CUSTOM_GPU_H200.alias",
    takes: ["h200"],
    refuses: ["", "hunter:2", 4711],
    says: "the name of a PCI alias in nova.conf",
  },
  { path: "flavors", takes: ["created", "mapped"], refuses: ["hunter2", true], says: "one of created, mapped" },
  { path: "images", takes: [{}], refuses: ["hunter2", ["hunter2"]], says: "a map from an image's name in the catalog" },
  { path: "images.debian-12.name", takes: ["Debian 12"], refuses: ["", longName], says: "the name of an image" },
  {
    path: "images.debian-12.id",
    takes: ["01234567-89ab-cdef-0123-456789abcdef"],
    refuses: ["hunter2", 4711],
    says: "the id of an image, a UUID in lower case",
  },
  { path: "host_prefix", takes: ["", "north-"], refuses: ["hunter/2", 4711], says: "at most 40 letters" },
  { path: "poll_seconds", takes: [1, 3600], refuses: [0, 4711, "hunter2"], says: "from 1 to 3600" },
];

holdRules("openstack", parse, rules, {
  "regions.north": { network: "rent" },
  "regions.north.notifications": { urls: ["amqps://rabbit"], user: "lessor", password_file: "rabbit-password" },
  "regions.north.pools[0]": { vcpus: 1, memory_gib: 1, storage_gb: 1 },
  "gpus.CUSTOM_GPU_H200": { model: "h200", memory_gib: 141 },
});

describe("a setting of a cloud that is missing", () => {
  it.each([
    ["cloud", { cloud: undefined }, "openstack[0].cloud in lessor.yaml is required: the name of an entry in"],
    ["regions", { regions: undefined }, "openstack[0].regions in lessor.yaml is required: a map from a region's name"],
    ["a region's network", { regions: { north: {} } }, "openstack[0].regions.north.network in lessor.yaml is required"],
  ])("is named: %s", (_, settings, message) => {
    expect(refusalOf(() => parse(settings))).toContain(message);
  });
});

describe("a key that a cloud does not have", () => {
  it.each([
    [{ flavours: "created" }, '"openstack[0].flavours". Did you mean openstack[0].flavors?'],
    [{ gpu_models: {} }, '"openstack[0].gpu_models"'],
  ])("is refused with a correction: %j", (settings, message) => {
    expect(refusalOf(() => parse(settings))).toContain(`lessor.yaml has an unknown setting ${message}`);
  });
});
