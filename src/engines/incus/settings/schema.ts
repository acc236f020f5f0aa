// The schema of `incus:` in lessor.yaml. Rules that involve several values, or files on this machine, are in
// settings.ts and connection.ts. Used by ../kind.ts.

import { type Static, Type } from "typebox";
import { freeMap, group, textLike } from "../../../settings/schema-parts.ts";
import { catalogueName, commonSettings, engineName, optional } from "../../settings/common-schema.ts";

/** Names of a cluster's objects: stricter than clusters are, so that none can change a request's path. */
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

export const IncusClusterSchema = group({
  name: engineName,
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
    freeMap(catalogueName, Image, "a map from an image's name in the catalog to where the cluster finds it"),
  ),
  ...commonSettings,
  host_prefix: optional(
    textLike({ pattern: "^[A-Za-z0-9._-]{0,40}$", description: 'at most 40 letters, digits, ".", "_" and "-"' }),
  ),
});

/** `incus:` as a whole. */
export const IncusSchema = Type.Array(IncusClusterSchema, { description: "a list of clusters, each a map" });

/** An item of it that passed the schema. */
export type IncusFileSettings = Static<typeof IncusClusterSchema>;
