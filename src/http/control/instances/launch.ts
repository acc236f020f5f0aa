// Control interface: launching, with all fields of all interfaces and the maximum lifetime; and changing that.
// Responses are full records. Source: decisions, Launch.

import { type Static, Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import { invalid } from "../../../rental/errors.ts";
import * as firewall from "../../../rental/firewall/rules.ts";
import { changeIdleRule } from "../../../rental/instances/change-idle-rule.ts";
import { changeLabels } from "../../../rental/instances/change-labels.ts";
import { changeLifetime } from "../../../rental/instances/change-lifetime.ts";
import { reconcileStatusOf, statusAtLaunch } from "../../../rental/instances/reconcile-status.ts";
import { orderLike } from "../../../rental/launching/like.ts";
import type { LaunchOrder } from "../../../rental/launching/order.ts";
import { reservationNamed } from "../../../rental/reservations/use.ts";
import type { Principal } from "../../../rental/service.ts";
import { envVarLimits } from "../../../rules/env-vars.ts";
import { tagBounds } from "../../../rules/tag-rules.ts";
import { type WaitBounds, waitBounds } from "../../../rules/waiting-launches.ts";
import type { HttpContext } from "../../api/context.ts";
import * as limit from "../../api/documented-limits.ts";
import { fileSystemErrors, launchErrors } from "../../api/launch-errors.ts";
import type { Api } from "../../api/operations.ts";
import { Mounts, mountFrom, Names, RegionName, Tag, UserData, userDataInJson } from "../../api/schema.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import type { LaunchMap } from "../../launching/fields.ts";
import * as field from "../fields.ts";
import { HostSelectorText, hostSelectorFrom, refuseSelector } from "../host-selector.ts";
import { launchView, Launch as WaitingView } from "../launches/view.ts";
import { IdleRule } from "./idle-rule.ts";
import * as view from "./view.ts";

const lifetime = field.orNull(
  field.lifetime(),
  "Counted from when it is billed for the first time (when it is first active or first stopped); then it is " +
    "terminated, and an event warns before. Default and maximum: the account's `max_lifetime_seconds`; null: no limit.",
);

const idleRule = field.orNull(
  IdleRule,
  "What happens when its GPUs are not used. Only with an image whose agent reports that (`metrics`). Null, the default: nothing.",
);

const Tags = Type.Array(Tag, { maxItems: tagBounds.tags, description: "All of your own labels." });

const Launch = Type.Object({
  instance_type: Type.Optional(
    Type.String({
      ...limit.name,
      description: "Required, unless `like` or `reservation_id` is given.",
      examples: ["gpu_1x_h100_pcie"],
    }),
  ),
  like: Type.Optional(
    Type.String({
      ...limit.uuid,
      description:
        "The id of an instance of your account, also one that has ended: what this body omits is as that instance was " +
        "launched, with its environment variables and user data. Not copied: its coupon, and, while they are in use, its " +
        "name and file systems that only one instance can have.",
    }),
  ),
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
  host_selector: Type.Optional(HostSelectorText),
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
  idle_rule: Type.Optional(idleRule),
  wait: Type.Optional(
    Type.Object(
      {
        until: givenMoment(
          `When it expires: in the future, and within ${waitBounds.mostDays} days, unless the operator has set others.`,
        ),
        max_price_cents_per_hour: Type.Optional(Type.Integer({ minimum: 0, maximum: field.mostPriceCents })),
      },
      {
        title: "Wait",
        description:
          "If it cannot be placed now for lack of capacity, a quota or a spend limit, it waits until it can, and the answer is " +
          "202. All or nothing, in order of arrival, not billed while it waits, and checked again as a whole when it is placed.",
      },
    ),
  ),
  reservation_id: Type.Optional(
    Type.String({
      ...limit.uuid,
      description:
        "The id of an active reservation of your account: its instances use its capacity, cost nothing by themselves, and end " +
        "with it at the latest. Type and region are its own; neither a coupon nor `spot` nor `wait` goes with it.",
    }),
  ),
  max_price_cents_per_hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: field.mostPriceCents,
      description:
        "Maximum price per instance, before a coupon: nothing is launched if the instance type costs more. Default: no maximum.",
    }),
  ),
  spot: Type.Optional(
    Type.Boolean({
      description:
        "Launches spot instances, at the spot price of the type, which must have one. They are evicted, after a notice, " +
        "when a launch that waits and is not spot needs what they hold. Default: false.",
    }),
  ),
});

const launchFields: LaunchMap<Static<typeof Launch>> = {
  fields: {
    instance_type: "instanceType",
    // Errors of what it says name the parts of the order.
    like: { as: "instanceType", from: () => undefined },
    region: "region",
    quantity: "quantity",
    name: "name",
    host_selector: { as: "hostSelector", from: hostSelectorFrom },
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
    wait: {
      as: "maxPriceCentsPerHour",
      from: ({ max_price_cents_per_hour: most }) => most,
      within: () => "max_price_cents_per_hour",
    },
    idle_rule: { as: "idleRule", from: (rule) => rule },
    reservation_id: "reservationId",
    max_price_cents_per_hour: "maxPriceCentsPerHour",
    spot: "spot",
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
  idle_rule: Type.Optional(idleRule),
});

const tag = "Instances";

/** Throws RentalError invalid-parameters. */
function untilOf(text: string, { mostDays }: WaitBounds): Date {
  const until = parseMoment("wait.until", text);
  const days = (until.getTime() - Date.now()) / 86_400_000;
  if (days > 0 && days <= mostDays) return until;
  throw invalid("wait.until", `Give a time in the future, at most ${mostDays} days ahead.`);
}

/** File systems are copied only if the body names none, in either way. Throws RentalError. */
async function baseOf(
  { db, service }: HttpContext,
  body: Static<typeof Launch>,
  principal: Principal,
): Promise<Partial<LaunchOrder>> {
  if (body.like === undefined) {
    if (body.instance_type !== undefined) return {};
    if (body.reservation_id !== undefined) return ofReservation(db, principal, body.reservation_id);
    throw invalid("instance_type", "Name an instance type, or give the id of an instance as `like`.");
  }
  const { fileSystemMounts = [], ...like } = await orderLike(db, service, principal, body.like);
  // What a reservation pays for is never spot.
  const order = body.reservation_id === undefined ? like : { ...like, spot: false };
  return body.file_system_names === undefined ? { ...order, fileSystemMounts } : order;
}

/** Throws RentalError unknown-name. */
async function ofReservation(db: Database, principal: Principal, id: string): Promise<Partial<LaunchOrder>> {
  const { product } = await reservationNamed(db, principal, id, "reservation_id");
  return { instanceType: product.name };
}

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
      waiting: field.one(Type.Object({ launch: WaitingView })),
      errors: [...launchErrors, "coupon-refused", "unknown-object", ...fileSystemErrors],
    },
    {
      fields: launchFields,
      check: (
        { host_selector: selector, wait, max_price_cents_per_hour: most, reservation_id: reserved },
        principal,
      ) => {
        refuseSelector(principal, selector);
        if (reserved !== undefined && wait !== undefined)
          throw invalid("wait", "A launch with a reservation does not wait: launch it once the reservation is active.");
        if (wait?.max_price_cents_per_hour !== undefined && most !== undefined)
          throw invalid("wait.max_price_cents_per_hour", "Give the maximum price once.");
      },
      base: (body, principal) => baseOf(api.context, body, principal),
      wait: ({ wait }) =>
        wait === undefined
          ? undefined
          : { until: untilOf(wait.until, api.context.service.limits.waiting ?? waitBounds) },
      answerWaiting: (waiting) => ({ data: { launch: launchView(waiting) } }),
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
        "Changes its name, tags, lifetime or idle rule; omitted fields stay unchanged. The host name stays as it was at launch. A " +
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
      const { name, tags, max_lifetime_seconds: lifetimeSeconds, idle_rule: rule } = body;
      const labels = { name, tags, fields: { name: "name", tags: "tags" } };
      const labelled = await changeLabels(tx, service, principal, params.id, labels);
      const limited =
        lifetimeSeconds === undefined
          ? labelled
          : await changeLifetime(tx, service, principal, params.id, lifetimeSeconds);
      const changed = rule === undefined ? limited : await changeIdleRule(tx, service, principal, params.id, rule);
      return { data: view.forPrincipal(principal, changed, await reconcileStatusOf(tx, changed.id)) };
    },
  );
}
