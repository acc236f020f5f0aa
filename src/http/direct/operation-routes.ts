// Variant D: launch, restart, terminate. Specification, "Endpoints, variant D"; paths: decisions, section 8.

import { type Static, Type } from "typebox";
import * as instances from "../../rental/instances/index.ts";
import { launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { sample } from "../api/schema.ts";
import { firstOf } from "../launching/index.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

export function operationRoutes(api: Api): void {
  api.launch(
    "/instance/launch",
    {
      id: "launchInstance",
      tag: "Instances",
      summary: "Launch an instance",
      description: "Launches one instance and returns its UUID. Without SSH keys, it has a password.",
      body: schema.Launch,
      status: 202,
      answer: Type.Object({ response: Type.String({ format: "uuid" }) }),
      example: { request: example.launch, answer: { response: sample.id } },
      errors: [...launchErrors, "coupon-refused"],
    },
    {
      order: orderFrom,
      answer: (launched) => ({ response: firstOf(launched).id }),
    },
  );

  api.post(
    "/instance/restart",
    {
      id: "restartInstances",
      tag: "Instances",
      summary: "Restart stopped instances",
      description: "Starts instances that are stopped, all or none of them.",
      body: schema.InstanceUuids,
      status: 202,
      answer: Type.Object({ response: Type.Array(schema.RestartedInstance) }),
      example: { request: example.instanceUuids, answer: { response: [example.restarted] } },
      errors: ["unknown-object", "instance-not-stopped"],
    },
    async ({ tx, service, principal, body, version }) => {
      // The vendor's clients restart what runs, and mean a reboot.
      const action = version === "vendor-1.0" ? "reboot" : "restart";
      const changed = await instances.change(tx, service, principal, action, body.instanceUuids, "instanceUuids");
      return { response: changed.map(view.restarted) };
    },
  );

  api.post(
    "/instance/terminate",
    {
      id: "terminateInstances",
      tag: "Instances",
      summary: "Terminate instances",
      description: "Deletes instances and their data, all or none of them. Billing ends now.",
      body: schema.InstanceUuids,
      status: 202,
      answer: Type.Object({
        response: Type.Object({ data: Type.Object({ terminated_instances: Type.Array(schema.TerminatedInstance) }) }),
      }),
      example: {
        request: example.instanceUuids,
        answer: { response: { data: { terminated_instances: [example.terminated] } } },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, service, principal, body }) => {
      const changed = await instances.change(tx, service, principal, "terminate", body.instanceUuids, "instanceUuids");
      return { response: { data: { terminated_instances: changed.map(view.terminated) } } };
    },
  );
}

function orderFrom(body: Static<typeof schema.Launch>): instances.LaunchOrder {
  return {
    instanceType: body.productName,
    region: body.regionName,
    quantity: 1,
    sshKeyNames: [...(body.sshKeys ?? []), ...[body.sshKey ?? []].flat()],
    sshKeysByText: true,
    fileSystemNames: [],
    name: body.instanceName,
    image: body.imageId === undefined ? undefined : { number: body.imageId },
    envVars: {},
    coupon: body.coupon,
    command: body.command,
    passwordWithoutKeys: true,
    fields: {
      instanceType: "productName",
      region: "regionName",
      quantity: "quantity",
      sshKeys: body.sshKeys === undefined && body.sshKey !== undefined ? "sshKey" : "sshKeys",
      fileSystems: "fileSystems",
      name: "instanceName",
      image: "imageId",
      envVars: "envVars",
      command: "command",
    },
  };
}
