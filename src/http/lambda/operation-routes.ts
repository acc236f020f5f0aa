// The lambda edition: launch, terminate, restart, power-cycle. Decisions, The lambda edition.

import { type Static, Type } from "typebox";
import { invalid } from "../../rental/errors.ts";
import type * as instances from "../../rental/instances/index.ts";
import type { Service } from "../../rental/service.ts";
import { actionRoute } from "../api/instance-actions.ts";
import { jupyterOf } from "../api/jupyter.ts";
import { fileSystemErrors, launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { sample, userDataInJson } from "../api/schema.ts";
import { restartAction } from "./actions.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";
import { mountDirectory } from "./view.ts";

export function operationRoutes(api: Api): void {
  const { config } = api.context;
  api.launch(
    "/instance-operations/launch",
    {
      id: "launchInstances",
      tag: "Instance operations",
      summary: "Launch instances",
      description: "Launches `quantity` instances, all or none.",
      body: schema.Launch,
      moreBodyBytes: userDataInJson,
      answer: Type.Object({ data: Type.Object({ instance_ids: Type.Array(Type.String({ format: "uuid" })) }) }),
      example: { request: example.launch, answer: { data: { instance_ids: [sample.id] } } },
      errors: [...launchErrors, ...fileSystemErrors],
    },
    {
      order: orderFrom,
      answer: (launched) => ({ data: { instance_ids: launched.map(({ id }) => id) } }),
    },
  );

  const { restartReboots } = config.lambda;
  const shared = {
    tag: "Instance operations",
    ids: "instance_ids" as const,
    item: schema.Instance,
    pinnedItem: schema.PinnedInstance,
    view: (one: instances.Instance, { service: { keyRing } }: { readonly service: Service }) =>
      view.instance(one, jupyterOf(one, config.jupyterUrlTemplate, keyRing), restartReboots),
  };
  const restarting = {
    ...shared,
    action: "restart" as const,
    body: schema.Instances,
    instead: () => restartAction(restartReboots),
    example: { request: example.instanceIds, item: example.bootingInstance },
  };

  actionRoute(api, {
    ...shared,
    action: "terminate",
    id: "terminateInstances",
    path: "/instance-operations/terminate",
    description:
      "Deletes instances and their data, all or none of them. Billing ends now. An empty list has no effect: " +
      "some clients send one.",
    body: schema.AnyInstances,
    takesNone: true,
    answerAt: ["data", "terminated_instances"],
    example: { request: example.instanceIds, item: example.endedInstance },
  });
  actionRoute(api, {
    ...restarting,
    id: "restartInstances",
    path: "/instance-operations/restart",
    answerAt: ["data", "restarted_instances"],
    ...(restartReboots && { summary: "Restart instances" }),
    description: restartReboots
      ? `Starts instances that are stopped (shown as \`unhealthy\`), ${reboots}`
      : "Starts instances that are stopped (shown as `unhealthy`), all or none of them.",
  });
  actionRoute(api, {
    ...restarting,
    id: "powerCycleInstances",
    path: "/instance-operations/power-cycle",
    answerAt: ["data", "power_cycled_instances"],
    summary: "Power-cycle instances",
    description:
      "The same as restart, which stops and starts the machine, not only its operating system. Allowed only while " +
      "`actions.cold_reboot` is available.",
  });
}

const reboots =
  "and reboots those that are active: the machine stops and starts again, keeps its address and its data, is " +
  "`booting` meanwhile, and stays billed. Has no effect on one that is booting. All or none of them.";

/** Source: decisions, section 10; what clients of the family expect of a file system. */
const fileSystemUse = { directory: mountDirectory, shared: true };

function orderFrom(body: Static<typeof schema.Launch>): instances.LaunchOrder {
  const spelling = body.quantity === undefined && body.Quantity !== undefined ? "Quantity" : "quantity";
  const image = imageFrom(body);
  return {
    instanceType: body.instance_type_name,
    region: body.region_name,
    quantity: body[spelling] ?? 1,
    sshKeyNames: body.ssh_key_names ?? [],
    fileSystemNames: body.file_system_names ?? [],
    fileSystemUse,
    fileSystemMounts: (body.file_system_mounts ?? []).map((one) => ({
      fileSystemId: one.file_system_id,
      mountPoint: one.mount_point,
    })),
    userData: body.user_data ?? undefined,
    firewallRulesetIds: body.firewall_rulesets?.map(({ id }) => id),
    // Empty: the default name, as in a change of it.
    name: body.name || undefined,
    hostname: body.hostname ?? undefined,
    image,
    tags: body.tags ?? undefined,
    envVars: {},
    passwordWithoutKeys: false,
    fields: {
      instanceType: "instance_type_name",
      region: "region_name",
      quantity: spelling,
      sshKeys: "ssh_key_names",
      fileSystems: "file_system_names",
      fileSystemMounts: "file_system_mounts",
      userData: "user_data",
      name: "name",
      image: image === undefined ? "image" : "id" in image ? "image.id" : "image.family",
      hostname: "hostname",
      tags: "tags",
      envVars: "env_vars",
      command: "command",
      firewallRulesets: "firewall_rulesets",
    },
  };
}

/** Throws RentalError invalid-parameters where it is given in two ways, or in none. */
function imageFrom({ image }: Static<typeof schema.Launch>): { id: string } | { family: string } | undefined {
  const { id, family } = image ?? {};
  if (id !== undefined && family === undefined) return { id };
  if (family !== undefined && id === undefined) return { family };
  if (image == null) return undefined;
  throw invalid("image", "Use either the ID of an image or a family.");
}
