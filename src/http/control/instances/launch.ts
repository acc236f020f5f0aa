// Control interface: launching, with everything that any interface can ask for and how long the instances may live; and
// changing that. Full records are answered. Source: decisions, Launch.

import { type Static, Type } from "typebox";
import * as firewall from "../../../rental/firewall/index.ts";
import * as instances from "../../../rental/instances/index.ts";
import { reconcileStatusOf, statusAtLaunch } from "../../../rental/instances/reconcile-status.ts";
import * as limit from "../../api/documented-limits.ts";
import { fileSystemErrors, launchErrors } from "../../api/launch-errors.ts";
import type { Api } from "../../api/operations.ts";
import { Mounts, Names, RegionName, Tag, UserData, userDataInJson } from "../../api/schema.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const lifetime = field.orNull(
  field.lifetime(),
  "Counted from when it is billed for the first time (when it is first active, or first stopped); then it is " +
    "terminated, and an event warns before. At most what the account's instances may live, which is the default too; null: without end.",
);

const Tags = Type.Array(Tag, { maxItems: instances.tagBounds.tags, description: "Your own labels: all of them." });

const Launch = Type.Object({
  instance_type: Type.String({ ...limit.name, examples: ["gpu_1x_h100_pcie"] }),
  region: Type.Optional(RegionName),
  quantity: Type.Optional(Type.Integer({ ...limit.quantity, minimum: 1, description: "All or none. 1 unless told." })),
  name: Type.Optional(
    Type.String({
      ...limit.instanceName,
      description:
        "1 to 64 characters, not unique. Several instances have it with a number each: `training-1`, `training-2`. Without " +
        "one: the instance type's name and 8 hexadecimal digits.",
      examples: ["training"],
    }),
  ),
  tags: Type.Optional(Tags),
  image: Type.Optional(Type.String({ ...limit.name, description: "Its name. Without it: the operator's default." })),
  ssh_key_names: Type.Optional(Names(limit.keyName, "Of your account.")),
  file_system_names: Type.Optional(
    Names(limit.fileSystemName, "Of your account, in the region. Only with a quantity of 1."),
  ),
  file_system_mounts: Type.Optional(Mounts),
  firewall_ruleset_ids: Type.Optional(
    Type.Array(Type.String({ ...limit.uuid }), {
      maxItems: firewall.bounds.setsOfAnInstance,
      description: "Of your account, in the region: their rules hold beside those of the account. None by default.",
    }),
  ),
  user_data: Type.Optional(UserData),
  env_vars: Type.Optional(
    // The pattern is for keys with line breaks, which would not be looked at without it.
    Type.Record(Type.String({ pattern: "^" }), Type.String({ ...limit.envVarValue }), {
      ...limit.envVarNames,
      maxProperties: instances.envVarLimits.maxEntries,
      description: "Written to `~/.env` at every boot, and shown nowhere. The same rules as in M's interface.",
    }),
  ),
  command: Type.Optional(Type.String({ ...limit.command, description: "Run once, at first boot, as root." })),
  coupon: Type.Optional(Type.String({ ...limit.coupon })),
  password_without_keys: Type.Optional(
    Type.Boolean({
      description:
        "Without SSH keys: log in with a password, which a read of the instance shows (with the scope `write`). Off unless told.",
    }),
  ),
  max_lifetime_seconds: Type.Optional(lifetime),
  max_price_cents_per_hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "For one of them, before a coupon: nothing is launched when the product costs more than that at this moment. Without it: whatever it costs.",
    }),
  ),
});

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
      description: "`quantity` instances in one region, all or none; in full.",
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
      order: orderFrom,
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
        "Its name, its tags, or how long it may live; what is left out stays. The host name stays as it was at launch. A " +
        "new end of its life has to lie in the future; a warning that was given comes again before it.",
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
      const labelled = await instances.changeLabels(tx, service, principal, params.id, labels);
      const changed =
        lifetimeSeconds === undefined
          ? labelled
          : await instances.changeLifetime(tx, service, principal, params.id, lifetimeSeconds);
      return { data: view.forPrincipal(principal, changed, await reconcileStatusOf(tx, changed.id)) };
    },
  );
}

function orderFrom(body: Static<typeof Launch>): instances.LaunchOrder {
  return {
    instanceType: body.instance_type,
    region: body.region ?? "any",
    quantity: body.quantity ?? 1,
    sshKeyNames: body.ssh_key_names ?? [],
    fileSystemNames: body.file_system_names ?? [],
    fileSystemUse: { shared: true },
    fileSystemMounts: (body.file_system_mounts ?? []).map((one) => ({
      fileSystemId: one.file_system_id,
      mountPoint: one.mount_point,
    })),
    userData: body.user_data,
    name: body.name,
    numberNames: true,
    tags: body.tags,
    firewallRulesetIds: body.firewall_ruleset_ids,
    image: body.image === undefined ? undefined : { name: body.image },
    envVars: body.env_vars ?? {},
    coupon: body.coupon,
    command: body.command,
    passwordWithoutKeys: body.password_without_keys ?? false,
    maxLifetimeSeconds: body.max_lifetime_seconds,
    maxPriceCentsPerHour: body.max_price_cents_per_hour,
    fields: {
      instanceType: "instance_type",
      region: "region",
      quantity: "quantity",
      sshKeys: "ssh_key_names",
      fileSystems: "file_system_names",
      fileSystemMounts: "file_system_mounts",
      userData: "user_data",
      name: "name",
      tags: "tags",
      firewallRulesets: "firewall_ruleset_ids",
      image: "image",
      envVars: "env_vars",
      command: "command",
      maxPrice: "max_price_cents_per_hour",
    },
  };
}
