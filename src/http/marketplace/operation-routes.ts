// Variant M: launch, terminate, restart, stop. Specification, "Endpoints, variant M" and "States and transitions".

import { type Static, Type } from "typebox";
import * as instances from "../../rental/instances/index.ts";
import { fileSystemErrors, launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { firstOf } from "../launching/index.ts";
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
      order: orderFrom,
      answer: (launched) => ({ data: { uuid: firstOf(launched).id, uuids: launched.map(({ id }) => id) } }),
    },
  );

  api.post(
    "/instance-operations/terminate",
    {
      id: "terminateInstances",
      tag: "Instance operations",
      summary: "Terminate instances",
      description: "Deletes instances and their data, all or none of them. Billing ends now.",
      body: schema.TerminateInstances,
      status: 202,
      answer: Type.Object({ data: Type.Object({ terminated_instances: Type.Array(schema.ChangedInstance) }) }),
      example: {
        request: example.instanceIds,
        answer: { data: { terminated_instances: [{ ...example.read, status: "terminated" }] } },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "terminate", body.instance_ids, "instance_ids");
      return { data: { terminated_instances: changed.map(view.changed) } };
    },
  );

  api.post(
    "/instance-operations/restart",
    {
      id: "restartInstances",
      tag: "Instance operations",
      summary: "Restart stopped instances",
      description: "Starts instances that are stopped, all or none of them.",
      body: schema.ChangeInstances,
      status: 202,
      answer: Type.Object({ data: Type.Object({ restarted_instances: Type.Array(schema.ChangedInstance) }) }),
      example: {
        request: example.instanceUuids,
        answer: { data: { restarted_instances: [{ ...example.read, status: "booting" }] } },
      },
      errors: ["unknown-object", "instance-not-stopped"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "restart", body.instance_uuids, "instance_uuids");
      return { data: { restarted_instances: changed.map(view.changed) } };
    },
  );

  api.post(
    "/instance-operations/stop",
    {
      id: "stopInstances",
      tag: "Instance operations",
      summary: "Stop instances",
      description: "Stops instances, all or none of them. Their data stays, and billing continues.",
      body: schema.ChangeInstances,
      status: 202,
      answer: Type.Object({ data: Type.Object({ stopped_instances: Type.Array(schema.ChangedInstance) }) }),
      example: {
        request: example.instanceUuids,
        answer: { data: { stopped_instances: [{ ...example.read, status: "stopping" }] } },
      },
      errors: ["unknown-object", "instance-terminated"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "stop", body.instance_uuids, "instance_uuids");
      return { data: { stopped_instances: changed.map(view.changed) } };
    },
  );
}

function orderFrom(body: Static<typeof schema.Launch>): instances.LaunchOrder {
  return {
    instanceType: body.instance_type_name,
    region: body.region_name,
    quantity: body.quantity,
    sshKeyNames: body.ssh_key_names,
    fileSystemNames: body.file_system_names ?? [],
    name: body.name,
    image: body.os_image_name === undefined ? undefined : { name: body.os_image_name },
    envVars: body.env_vars ?? {},
    passwordWithoutKeys: false,
    fields: {
      instanceType: "instance_type_name",
      region: "region_name",
      quantity: "quantity",
      sshKeys: "ssh_key_names",
      fileSystems: "file_system_names",
      name: "name",
      image: "os_image_name",
      envVars: "env_vars",
      command: "command",
    },
  };
}
