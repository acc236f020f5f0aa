// Fields of a launch that another interface knows and this one does not, such as `env_vars` in R: they are ignored, as
// every unknown field is, and a header says so, because a customer who sends one expects what it does elsewhere.
// Source: specification, Launch bodies; decisions, "Unknown fields are ignored". Used by operations.ts for every launch.

import type { TSchema } from "typebox";

export const foreignFieldsHeader = "lessor-ignored-fields";

/** The fields of launches of all interfaces. Held to their documents by foreign-fields.test.ts. */
export const launchFields = [
  "instance_type_name",
  "productName",
  "instance_type",
  "region_name",
  "regionName",
  "region",
  "quantity",
  "Quantity",
  "name",
  "instanceName",
  "hostname",
  "ssh_key_names",
  "sshKeys",
  "sshKey",
  "file_system_names",
  "file_system_mounts",
  "firewall_rulesets",
  "firewall_ruleset_ids",
  "os_image_name",
  "imageId",
  "image",
  "env_vars",
  "command",
  "user_data",
  "tags",
  "coupon",
  "password_without_keys",
  "max_lifetime_seconds",
  "max_price_cents_per_hour",
];

/** Those that stand in the body, and that its schema does not have; in the order of the table. */
export function foreignFields(schema: TSchema, body: object): string[] {
  const own: object = "properties" in schema ? Object(schema.properties) : {};
  return launchFields.filter((name) => Object.hasOwn(body, name) && !Object.hasOwn(own, name));
}
