// The lambda edition: launch, terminate, restart. Decisions, The lambda edition.

import { type Static, Type } from "typebox";
import * as instances from "../../rental/instances/index.ts";
import type { Service } from "../../rental/service.ts";
import { jupyterOf } from "../jupyter.ts";
import { launchErrors } from "../launch-errors.ts";
import type { Api } from "../operations.ts";
import { sample } from "../schema.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

export function operationRoutes(api: Api): void {
  const shown = (changed: readonly instances.Instance[], { keyRing }: Service) =>
    changed.map((one) => view.instance(one, jupyterOf(one, api.context.config.jupyterUrlTemplate, keyRing)));

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
      errors: [...launchErrors, "conflict"],
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
      description:
        "Removes instances and destroys their data, all or none of them. Billing ends now. An empty list does nothing: " +
        "clients that have nothing left send one.",
      body: schema.AnyInstances,
      answer: Type.Object({ data: Type.Object({ terminated_instances: Type.Array(schema.Instance) }) }),
      example: {
        request: example.instanceIds,
        answer: { data: { terminated_instances: [example.endedInstance] } },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, service, tenant, body }) => {
      const { instance_ids: ids } = body;
      if (ids.length === 0) return { data: { terminated_instances: [] } };
      const changed = await instances.change(tx, service, tenant, "terminate", ids, "instance_ids");
      return { data: { terminated_instances: shown(changed, service) } };
    },
  );

  api.post(
    "/instance-operations/restart",
    {
      id: "restartInstances",
      tag: "Instance operations",
      summary: "Restart stopped instances",
      description: "Starts instances that are stopped (shown as `unhealthy`), all or none of them.",
      body: schema.Instances,
      answer: Type.Object({ data: Type.Object({ restarted_instances: Type.Array(schema.Instance) }) }),
      example: {
        request: example.instanceIds,
        answer: { data: { restarted_instances: [example.bootingInstance] } },
      },
      errors: ["unknown-object", "instance-not-stopped"],
    },
    async ({ tx, service, tenant, body }) => {
      const changed = await instances.change(tx, service, tenant, "restart", body.instance_ids, "instance_ids");
      return { data: { restarted_instances: shown(changed, service) } };
    },
  );
}

function orderFrom(body: Static<typeof schema.Launch>): instances.LaunchOrder {
  const spelling = body.quantity === undefined && body.Quantity !== undefined ? "Quantity" : "quantity";
  return {
    instanceType: body.instance_type_name,
    region: body.region_name,
    quantity: body[spelling] ?? 1,
    sshKeyNames: body.ssh_key_names ?? [],
    fileSystemNames: body.file_system_names ?? [],
    name: body.name ?? undefined,
    envVars: {},
    passwordWithoutKeys: false,
    fields: {
      instanceType: "instance_type_name",
      region: "region_name",
      quantity: spelling,
      sshKeys: "ssh_key_names",
      fileSystems: "file_system_names",
      name: "name",
      image: "image",
      envVars: "env_vars",
      command: "command",
    },
  };
}
