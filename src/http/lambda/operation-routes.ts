// The lambda edition: launch, terminate, restart, power-cycle. Decisions, The lambda edition.

import { Type } from "typebox";
import type * as instances from "../../rental/instances/instance.ts";
import type { Service } from "../../rental/service.ts";
import { actionRoute } from "../api/instance-actions.ts";
import { jupyterOf } from "../api/jupyter.ts";
import { fileSystemErrors, launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { sample, userDataInJson } from "../api/schema.ts";
import { actionSettings, restartAction } from "./actions.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

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
      fields: schema.launchFields,
      answer: (launched) => ({ data: { instance_ids: launched.map(({ id }) => id) } }),
    },
  );

  const { restartReboots } = config.lambda;
  const shared = {
    tag: "Instance operations",
    ids: "instance_ids" as const,
    item: schema.Instance,
    pinnedItem: schema.PinnedInstance,
    view: (one: instances.Instance, { service }: { readonly service: Service }) =>
      view.instance(
        one,
        jupyterOf(one, config.jupyterUrlTemplate, service.keyRing),
        actionSettings(service, restartReboots),
      ),
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
