// Control interface: launching, with all fields of all interfaces and the maximum lifetime; and changing that.
// Responses are full records. Source: decisions, Launch.

import { type Static, Type } from "typebox";
import * as firewall from "../../../rental/firewall/rules.ts";
import { changeLabels } from "../../../rental/instances/change-labels.ts";
import { changeLifetime } from "../../../rental/instances/change-lifetime.ts";
import { reconcileStatusOf, statusAtLaunch } from "../../../rental/instances/reconcile-status.ts";
import { envVarLimits } from "../../../rules/env-vars.ts";
import { tagBounds } from "../../../rules/tag-rules.ts";
import * as limit from "../../api/documented-limits.ts";
import { fileSystemErrors, launchErrors } from "../../api/launch-errors.ts";
import type { Api } from "../../api/operations.ts";
import { Mounts, mountFrom, Names, RegionName, Tag, UserData, userDataInJson } from "../../api/schema.ts";
import type { LaunchMap } from "../../launching/fields.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const lifetime = field.orNull(
  field.lifetime(),
  "Counted from when it is billed for the first time (when it is first active or first stopped); then it is " +
    "terminated, and an event warns before. Default and maximum: the account's `max_lifetime_seconds`; null: no limit.",
);

const Tags = Type.Array(Tag, { maxItems: tagBounds.tags, description: "All of your own labels." });

const Launch = Type.Object({
  instance_type: Type.String({ ...limit.name, examples: ["gpu_1x_h100_pcie"] }),
  region: Type.Optional(RegionName),
  quantity: Type.Optional(
    Type.Integer({
      ...limit.quantity,
      minimum: 1,
      description: "Number of instances; all or none are launched. Default: 1.",
    }),
  ),
  name: Type.Optional(
    Type.String({
      ...limit.instanceName,
      description:
        "1 to 64 characters, not unique. Several instances are numbered: `training-1`, `training-2`. Default: " +
        "the instance type's name and 8 hexadecimal digits.",
      examples: ["training"],
    }),
  ),
  tags: Type.Optional(Tags),
  image: Type.Optional(
    Type.String({ ...limit.name, description: "Name of the image. Default: the operator's default." }),
  ),
  ssh_key_names: Type.Optional(Names(limit.keyName, "Of your account.")),
  file_system_names: Type.Optional(
    Names(limit.fileSystemName, "Of your account, in the region. Only with a quantity of 1."),
  ),
  file_system_mounts: Type.Optional(Mounts),
  firewall_ruleset_ids: Type.Optional(
    Type.Array(Type.String({ ...limit.uuid }), {
      maxItems: firewall.bounds.setsOfAnInstance,
      description:
        "Of your account, in the region. Their rules apply in addition to those of the account. Default: none.",
    }),
  ),
  user_data: Type.Optional(UserData),
  env_vars: Type.Optional(
    // The pattern also matches keys with line breaks, which would not be checked otherwise.
    Type.Record(Type.String({ pattern: "^" }), Type.String({ ...limit.envVarValue }), {
      ...limit.envVarNames,
      maxProperties: envVarLimits.maxEntries,
      description: "Written to `~/.env` at every boot, and never shown. The same rules as in M's interface.",
    }),
  ),
  command: Type.Optional(Type.String({ ...limit.command, description: "Run once, at first boot, as root." })),
  coupon: Type.Optional(Type.String({ ...limit.coupon })),
  password_without_keys: Type.Optional(
    Type.Boolean({
      description:
        "Without SSH keys: log in with a password, which a read of the instance shows (with the scope `write`). Default: false.",
    }),
  ),
  max_lifetime_seconds: Type.Optional(lifetime),
  max_price_cents_per_hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Maximum price per instance, before a coupon: nothing is launched if the instance type costs more. Default: no maximum.",
    }),
  ),
});

const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    instance_type: "instanceType",
    region: "region",
    quantity: "quantity",
    name: "name",
    tags: "tags",
    image: { as: "image", from: (name) => ({ name }) },
    ssh_key_names: "sshKeyNames",
    file_system_names: "fileSystemNames",
    file_system_mounts: { as: "fileSystemMounts", from: (mounts) => mounts.map(mountFrom) },
    firewall_ruleset_ids: "firewallRulesetIds",
    user_data: "userData",
    env_vars: "envVars",
    command: "command",
    coupon: "coupon",
    password_without_keys: "passwordWithoutKeys",
    // Null: no end.
    max_lifetime_seconds: { as: "maxLifetimeSeconds", from: (seconds) => seconds },
    max_price_cents_per_hour: "maxPriceCentsPerHour",
  },
  always: { fileSystemUse: { shared: true }, numberNames: true },
};

const ChangeInstance = Type.Object({
  name: Type.Optional(
    Type.String({
      ...limit.instanceNameOrNone,
      description: "1 to 64 characters; empty: the default name.",
      examples: ["training"],
    }),
  ),
  tags: Type.Optional(Tags),
  max_lifetime_seconds: Type.Optional(lifetime),
});

const tag = "Instances";

export function launchRoutes(api: Api): void {
  api.launch(
    "/instances",
    {
      id: "launchInstances",
      tag,
      summary: "Launch instances",
      description: "Launches `quantity` instances in one region, all or none.",
      body: Launch,
      ownText: ["env_vars"],
      moreBodyBytes: userDataInJson,
      answer: field.many(view.ReadInstance),
      example: {
        request: { instance_type: "gpu_1x_h100_pcie", ssh_key_names: ["laptop"], max_lifetime_seconds: 86_400 },
        answer: { data: [view.examples.forAccount] },
      },
      errors: [...launchErrors, "coupon-refused", ...fileSystemErrors],
    },
    {
      fields: launchFields,
      answer: (launched, principal) => ({
        data: launched.map((one) => view.forPrincipal(principal, one, statusAtLaunch(one))),
      }),
    },
  );

  api.patch(
    "/instances/:id",
    {
      id: "changeInstance",
      tag,
      summary: "Change an instance",
      description:
        "Changes its name, tags or lifetime; omitted fields stay unchanged. The host name stays as it was at launch. A " +
        "new end of its lifetime must be in the future; the warning event is sent again before it.",
      params: field.IdParam,
      body: ChangeInstance,
      answer: field.one(view.ReadInstance),
      example: {
        request: { name: "training", max_lifetime_seconds: 172_800 },
        answer: { data: view.examples.forAccount },
      },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params, body }) => {
      const { name, tags, max_lifetime_seconds: lifetimeSeconds } = body;
      const labels = { name, tags, fields: { name: "name", tags: "tags" } };
      const labelled = await changeLabels(tx, service, principal, params.id, labels);
      const changed =
        lifetimeSeconds === undefined
          ? labelled
          : await changeLifetime(tx, service, principal, params.id, lifetimeSeconds);
      return { data: view.forPrincipal(principal, changed, await reconcileStatusOf(tx, changed.id)) };
    },
  );
}
