// Variant R: launch, terminate, restart. Specification, "Endpoints, variant R" and "States and transitions".

import { type Static, Type } from "typebox";
import * as instances from "../../rental/instances/index.ts";
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

  api.post(
    "/instance-operations/terminate",
    {
      id: "terminateInstances",
      tag: "Instance operations",
      summary: "Terminate instances",
      description: "Deletes instances and their data, all or none of them. Billing ends now.",
      body: schema.Instances,
      answer: Type.Object({ data: Type.Object({ terminated_instances: Type.Array(schema.Instance) }) }),
      example: {
        request: example.instanceIds,
        answer: { data: { terminated_instances: [{ ...example.instance, status: "terminated" }] } },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "terminate", body.instance_ids, "instance_ids");
      return { data: { terminated_instances: changed.map(view.instance) } };
    },
  );

  api.post(
    "/instance-operations/restart",
    {
      id: "restartInstances",
      tag: "Instance operations",
      summary: "Restart stopped instances",
      description: "Starts instances that are stopped, all or none of them.",
      body: schema.Instances,
      answer: Type.Object({ data: Type.Object({ restarted_instances: Type.Array(schema.Instance) }) }),
      example: {
        request: example.instanceIds,
        answer: { data: { restarted_instances: [{ ...example.instance, status: "booting" }] } },
      },
      errors: ["unknown-object", "instance-not-stopped"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "restart", body.instance_ids, "instance_ids");
      return { data: { restarted_instances: changed.map(view.instance) } };
    },
  );
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
