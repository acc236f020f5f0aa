// Variant M: launch, terminate, restart, stop. Specification, "Endpoints, variant M" and "States and transitions".

import { Type } from "typebox";
import { actionRoute, sampleAfter } from "../api/instance-actions.ts";
import { fileSystemErrors, launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { firstOf } from "../launching/launches.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

export function operationRoutes(api: Api): void {
  api.launch(
    "/instance-operations/launch",
    {
      id: "launchInstances",
      tag: "Instance operations",
      summary: "Launch instances",
      description: "Launches `quantity` instances, all or none. `uuid` is the first of `uuids`.",
      body: schema.Launch,
      ownText: ["env_vars"],
      answer: Type.Object({
        data: Type.Object({
          uuid: Type.String({ format: "uuid" }),
          uuids: Type.Array(Type.String({ format: "uuid" })),
        }),
      }),
      example: { request: example.launch, answer: example.launched },
      errors: [...launchErrors, ...fileSystemErrors],
    },
    {
      fields: schema.launchFields,
      answer: (launched) => ({ data: { uuid: firstOf(launched).id, uuids: launched.map(({ id }) => id) } }),
    },
  );

  const shared = { tag: "Instance operations", status: 202, item: schema.ChangedInstance, view: view.changed };
  actionRoute(api, {
    ...shared,
    action: "terminate",
    id: "terminateInstances",
    path: "/instance-operations/terminate",
    body: schema.TerminateInstances,
    ids: "instance_ids",
    answerAt: ["data", "terminated_instances"],
    example: { request: example.instanceIds, item: view.changed(sampleAfter("terminate")) },
  });
  actionRoute(api, {
    ...shared,
    action: "restart",
    id: "restartInstances",
    path: "/instance-operations/restart",
    body: schema.ChangeInstances,
    ids: "instance_uuids",
    answerAt: ["data", "restarted_instances"],
    example: { request: example.instanceUuids, item: view.changed(sampleAfter("restart")) },
  });
  actionRoute(api, {
    ...shared,
    action: "stop",
    id: "stopInstances",
    path: "/instance-operations/stop",
    body: schema.ChangeInstances,
    ids: "instance_uuids",
    answerAt: ["data", "stopped_instances"],
    example: { request: example.instanceUuids, item: view.changed(sampleAfter("stop")) },
  });
}
