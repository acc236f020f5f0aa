// Variant R: launch, terminate, restart. Specification, "Endpoints, variant R" and "States and transitions".

import { Type } from "typebox";
import { actionRoute, sampleAfter } from "../api/instance-actions.ts";
import { fileSystemErrors, launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { sample } from "../api/schema.ts";
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
      description: "Launches `quantity` instances, all or none.",
      body: schema.Launch,
      answer: Type.Object({ data: Type.Object({ instance_ids: Type.Array(Type.String({ format: "uuid" })) }) }),
      example: { request: example.launch, answer: { data: { instance_ids: [sample.id] } } },
      errors: [...launchErrors, ...fileSystemErrors],
    },
    {
      fields: schema.launchFields,
      answer: (launched) => ({ data: { instance_ids: launched.map(({ id }) => id) } }),
    },
  );

  const shared = { tag: "Instance operations", body: schema.Instances, item: schema.Instance, view: view.instance };
  actionRoute(api, {
    ...shared,
    action: "terminate",
    id: "terminateInstances",
    path: "/instance-operations/terminate",
    ids: "instance_ids",
    answerAt: ["data", "terminated_instances"],
    example: { request: example.instanceIds, item: view.instance(sampleAfter("terminate")) },
  });
  actionRoute(api, {
    ...shared,
    action: "restart",
    id: "restartInstances",
    path: "/instance-operations/restart",
    ids: "instance_ids",
    answerAt: ["data", "restarted_instances"],
    example: { request: example.instanceIds, item: view.instance(sampleAfter("restart")) },
  });
}
