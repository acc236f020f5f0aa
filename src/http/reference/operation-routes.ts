// Variant R: launch, terminate, restart. Specification, "Endpoints, variant R" and "States and transitions".

import { type Static, Type } from "typebox";
import type * as instances from "../../rental/instances/index.ts";
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
      order: orderFrom,
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

function orderFrom(body: Static<typeof schema.Launch>): instances.LaunchOrder {
  return {
    instanceType: body.instance_type_name,
    region: body.region_name,
    quantity: body.quantity ?? 1,
    sshKeyNames: body.ssh_key_names ?? [],
    fileSystemNames: body.file_system_names ?? [],
    name: body.name,
    envVars: {},
    passwordWithoutKeys: false,
    fields: {
      instanceType: "instance_type_name",
      region: "region_name",
      quantity: "quantity",
      sshKeys: "ssh_key_names",
      fileSystems: "file_system_names",
      name: "name",
      image: "image",
      envVars: "env_vars",
      command: "command",
    },
  };
}
