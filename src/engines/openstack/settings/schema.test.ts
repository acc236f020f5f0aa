import { Check, Errors } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { OpenStackSchema } from "./schema.ts";

const network = { network: "rent" };
const pool = { vcpus: 1, memory_gib: 1, storage_gb: 1 };
const gpu = { model: "h200", memory_gib: 141 };

/** Where the settings of one cloud, on top of the few it needs, do not pass; empty: they do. */
function wrongIn(settings: Readonly<Record<string, unknown>>): string[] {
  const clouds = [{ name: "cloud", cloud: "lessor", regions: { a: network }, ...settings }];
  if (Check(OpenStackSchema, clouds)) return [];
  return Errors(OpenStackSchema, clouds)[1].map(({ instancePath }) => instancePath);
}

interface Rule {
  readonly path: string;
  readonly inside: (value: unknown) => Readonly<Record<string, unknown>>;
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}

const inRegion = (key: string) => (value: unknown) => ({ regions: { a: { ...network, [key]: value } } });
const inPool = (key: string) => (value: unknown) => ({
  regions: { a: { ...network, pools: [{ ...pool, [key]: value }] } },
});
const inGpu = (key: string) => (value: unknown) => ({ gpus: { VGPU: { ...gpu, [key]: value } } });
const inImage = (key: string) => (value: unknown) => ({ images: { debian: { [key]: value } } });
const inNotifications = (key: string) => (value: unknown) => ({
  regions: {
    a: {
      ...network,
      notifications: { urls: ["amqps://rabbit"], user: "lessor", password_file: "secret", [key]: value },
    },
  },
});
const names = { takes: ["rent", "a b/c?ö", "n".repeat(255)], refuses: ["", "a\nb", "n".repeat(256), 4711] };

const rules: readonly Rule[] = [
  { path: "/0/cloud", inside: (cloud) => ({ cloud }), ...names },
  { path: "/0/clouds_file", inside: (value) => ({ clouds_file: value }), takes: ["/a b"], refuses: ["", "a\0b", 4711] },
  { path: "/0/regions", inside: (regions) => ({ regions }), takes: [{}], refuses: [[], "north", undefined] },
  ...["network", "floating_network", "cloud_region", "aggregate", "volume_type", "availability_zone"].map((key) => ({
    path: `/0/regions/a/${key}`,
    inside: inRegion(key),
    ...names,
  })),
  {
    path: "/0/regions/a/availability_zone",
    inside: inRegion("availability_zone"),
    takes: ["nova"],
    // It would name a host to Nova.
    refuses: ["nova:gpu1"],
  },
  { path: "/0/regions/a/pools", inside: inRegion("pools"), takes: [[pool]], refuses: [[], {}] },
  {
    path: "/0/regions/a/pools/0/gpu",
    inside: inPool("gpu"),
    takes: ["CUSTOM_GPU_H200", "VGPU", "PGPU"],
    refuses: ["VCPU", "custom_gpu", "CUSTOM_", 4711],
  },
  ...["count", "vcpus", "memory_gib", "storage_gb"].map((key) => ({
    path: `/0/regions/a/pools/0/${key}`,
    inside: inPool(key),
    takes: [1, 1_000_000],
    refuses: [0, 1.5, "8"],
  })),
  {
    path: "/0/regions/a/notifications/urls/0",
    inside: (value) => inNotifications("urls")([value]),
    takes: ["amqps://rabbit.example.com:5671", "amqp://10.0.0.1/nova%2Fcell1", "amqps://[fd00::1]/"],
    refuses: [
      "",
      "rabbit",
      "https://rabbit",
      "amqp://me:secret@rabbit",
      "amqp://rabbit?heartbeat=0",
      "amqp://a b",
      4711,
    ],
  },
  { path: "/0/regions/a/notifications/urls", inside: inNotifications("urls"), takes: [], refuses: [[], "amqp://a"] },
  {
    path: "/0/regions/a/notifications/user",
    inside: inNotifications("user"),
    takes: ["lessor", "a b"],
    refuses: ["", "a\nb", 4711, undefined],
  },
  ...["password_file", "ca"].map((key) => ({
    path: `/0/regions/a/notifications/${key}`,
    inside: inNotifications(key),
    takes: ["rabbit-password", "/etc/x y"],
    refuses: ["", "a\0b", 4711],
  })),
  {
    path: "/0/regions/a/notifications/exchange",
    inside: inNotifications("exchange"),
    takes: ["nova", "nova.cell-1"],
    refuses: ["", "a b", 4711],
  },
  {
    path: "/0/regions/a/notifications/topics",
    inside: inNotifications("topics"),
    takes: [["versioned_notifications"], ["notifications", "more"]],
    refuses: [[], "notifications"],
  },
  { path: "/0/gpus", inside: (gpus) => ({ gpus }), takes: [{}], refuses: [[]] },
  {
    path: "/0/gpus/VGPU/trait",
    inside: inGpu("trait"),
    takes: ["CUSTOM_SXM", "HW_GPU_API_VULKAN"],
    refuses: ["", "sxm"],
  },
  { path: "/0/gpus/VGPU/alias", inside: inGpu("alias"), takes: ["h200"], refuses: ["", "a:b", "a,b", 200] },
  { path: "/0/flavors", inside: (flavors) => ({ flavors }), takes: ["created", "mapped"], refuses: ["", "found"] },
  {
    path: "/0/images/debian/id",
    inside: inImage("id"),
    takes: ["01234567-89ab-cdef-0123-456789abcdef"],
    refuses: ["", "debian", "01234567-89AB-CDEF-0123-456789ABCDEF"],
  },
  { path: "/0/images/debian/name", inside: inImage("name"), ...names },
  { path: "/0/host_prefix", inside: (value) => ({ host_prefix: value }), takes: ["", "a-"], refuses: ["a b", "a/b"] },
  { path: "/0/poll_seconds", inside: (value) => ({ poll_seconds: value }), takes: [1, 3600], refuses: [0, 3601, "10"] },
];

describe.each(rules)("$path of clouds", ({ path, inside, takes, refuses }) => {
  it.each(takes.map((value) => ({ value })))("takes $value", ({ value }) => {
    expect(wrongIn(inside(value))).toEqual([]);
  });

  it.each(refuses.map((value) => ({ value })))("refuses $value", ({ value }) => {
    expect(wrongIn(inside(value))).toContain(path);
  });
});

it("clouds have no settings of what Placement knows: what GPUs are by their PCI ids, and a ratio of vCPUs", () => {
  expect(wrongIn({ gpu_models: {} })).toContain("/0/gpu_models");
  expect(wrongIn({ cpu_ratio: 2 })).toContain("/0/cpu_ratio");
});
