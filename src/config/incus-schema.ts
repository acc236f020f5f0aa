// What an item of `incus:` in lessor.yaml may hold, with the rule of each value. What several values must be together,
// and what must be true of the machine (files that can be read), is in config/incus.ts and config/incus-connection.ts.
// Used by config/file-schema.ts.

import { type Static, type TSchema, Type } from "typebox";
import { freeMap, group, integer, number, seconds, textLike } from "./schema-parts.ts";

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** What the catalogue takes as the name of a region or an image. */
const catalogueName = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
  description: 'a name of 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
};

/** Names that a cluster gave: stricter than the clusters are, so that none can change the meaning of a request's path. */
const clusterName = (what: string) => ({
  pattern: "^(?!\\.{1,2}$)[^\\s\\x00-\\x1f\\x7f/?#%&\\\\]{1,63}$",
  description: `the name of ${what}: 1 to 63 characters, without space and without any of / ? # % & \\`,
});

const memberGroup = {
  pattern: `^(?!\\d+$)${clusterName("").pattern.slice(1)}`,
  description: `${clusterName("a member group").description}, and not digits only`,
};

const path = textLike({ pattern: "^[^\\x00]+$", description: "the path of a file" });

const Image = group({
  alias: optional(textLike({ pattern: "^[\\x21-\\x7e]{1,255}$", description: "an alias such as debian/12/cloud" })),
  fingerprint: optional(
    textLike({ pattern: "^[0-9A-Fa-f]{64}$", description: "the whole fingerprint of an image, 64 hex digits" }),
  ),
  server: optional(textLike({ pattern: "^https://", description: "the https:// URL of an image server" })),
  protocol: optional(
    Type.Union([Type.Literal("simplestreams"), Type.Literal("incus"), Type.Literal("lxd")], {
      description: "simplestreams, incus or lxd",
    }),
  ),
});

const GpuModel = group({
  model: textLike({
    pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]{0,62}[\\x21-\\x7e])?$",
    description: "the model's name in the catalogue, 1 to 64 printable ASCII characters without space at the ends",
  }),
  memory_gib: Type.Integer({ minimum: 1, maximum: 10_000, description: "an integer from 1 to 10000" }),
});

export const IncusClusterSchema = group({
  name: textLike({
    pattern: "^(?!simulated$)[A-Za-z0-9][A-Za-z0-9-]{0,39}$",
    description: 'a name of 1 to 40 letters, digits and "-", the first a letter or digit, and not "simulated"',
  }),
  urls: Type.Array(Type.String({ description: "a URL such as https://10.0.0.1:8443" }), {
    minItems: 1,
    maxItems: 16,
    description: "a list of 1 to 16 URLs such as https://10.0.0.1:8443 or unix:///var/lib/incus/unix.socket",
  }),
  tls: optional(
    group({
      certificate: path,
      key: path,
      fingerprint: optional(
        textLike({
          pattern: "^([0-9A-Fa-f]{64}|[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31})$",
          description: "the SHA-256 fingerprint of the server's certificate, 64 hex digits with or without colons",
        }),
      ),
      ca: optional(path),
    }),
  ),
  region: optional(textLike(catalogueName)),
  regions: optional(freeMap(memberGroup, textLike(catalogueName), "a map from member group to region")),
  kind: optional(
    Type.Union([Type.Literal("virtual-machine"), Type.Literal("container")], {
      description: "virtual-machine or container",
    }),
  ),
  project: optional(textLike(clusterName("a project"))),
  pool: optional(textLike(clusterName("a storage pool"))),
  network: optional(textLike(clusterName("a managed network"))),
  profile: optional(textLike(clusterName("a profile"))),
  images: optional(
    freeMap(catalogueName, Image, "a map from an image's name in the catalogue to where the cluster finds it"),
  ),
  gpu_models: optional(
    freeMap(
      {
        pattern: "^[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}$",
        description: 'a PCI vendor and device such as "10de:2331"',
      },
      GpuModel,
      'a map from PCI vendor and device, such as "10de:2331", to model and memory_gib',
    ),
  ),
  reserved: optional(
    group({ vcpus: integer(0, 1_000_000), memory_gib: integer(0, 10_000_000), storage_gb: integer(0, 1_000_000_000) }),
  ),
  cpu_ratio: number(0.1, 32),
  ssh_probe: optional(
    group({
      command: optional(
        Type.Array(textLike({ pattern: "^[^\\x00]+$", description: "a word of the command, and not empty" }), {
          minItems: 1,
          maxItems: 64,
          description: 'a list of 1 to 64 words such as ["ssh", "-W", "{ip}:{port}", "probe@{host}"]',
        }),
      ),
      port: integer(1, 65_535),
    }),
  ),
  stop_grace_seconds: seconds(1, 600),
  host_prefix: optional(
    textLike({ pattern: "^[A-Za-z0-9._-]{0,40}$", description: 'at most 40 letters, digits, ".", "_" and "-"' }),
  ),
});

/** An item of `incus:` that passed the schema. */
export type IncusFileSettings = Static<typeof IncusClusterSchema>;
