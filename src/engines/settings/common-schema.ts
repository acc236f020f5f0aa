// What the settings of every engine with real machines may hold: the names they share with the catalogue, and the
// settings that each engine has. Used by engines/incus/settings/schema.ts and engines/libvirt/settings/schema.ts.

import { type Static, type TSchema, Type } from "typebox";
import { freeMap, group, integer, number, seconds, textLike } from "../../settings/schema-parts.ts";

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** What the catalogue takes as the name of a region or an image. */
export const catalogueName = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
  description: 'a name of 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
};

/** An engine's own name. That no two engines have the same is in engines/settings/engine-names.ts. */
export const engineName = textLike({
  pattern: "^(?!simulated$)[A-Za-z0-9][A-Za-z0-9-]{0,39}$",
  description: 'a name of 1 to 40 letters, digits and "-", the first a letter or digit, and not "simulated"',
});

/** A GPU, as the catalogue's instance types name it. */
export const gpuModel = {
  model: textLike({
    pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]{0,62}[\\x21-\\x7e])?$",
    description: "the model's name in the catalog, 1 to 64 printable ASCII characters without space at the ends",
  }),
  memory_gib: Type.Integer({ minimum: 1, maximum: 10_000, description: "an integer from 1 to 10000" }),
};

/** The settings that every engine has, to be spread into its group. */
export const commonSettings = {
  gpu_models: optional(
    freeMap(
      {
        pattern: "^[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}$",
        description: 'a PCI vendor and device such as "10de:2331"',
      },
      group(gpuModel),
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
  management_networks: optional(
    Type.Array(Type.String({ description: "an address or a network such as 10.0.0.0/24" }), {
      maxItems: 20,
      description: "a list of at most 20 addresses and networks such as 10.0.0.0/24",
    }),
  ),
};

const EngineSettingsSchema = group(commonSettings);

/** The same as they passed the schema. */
export type CommonFileSettings = Static<typeof EngineSettingsSchema>;
