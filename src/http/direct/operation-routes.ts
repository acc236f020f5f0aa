// Variant D: launch, restart, terminate. Specification, "Endpoints, variant D"; paths: decisions, section 8.

import { Type } from "typebox";
import { actionRoute, sampleAfter } from "../api/instance-actions.ts";
import { launchErrors } from "../api/launch-errors.ts";
import type { Api } from "../api/operations.ts";
import { sample } from "../api/schema.ts";
import { firstOf } from "../launching/launches.ts";
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
      fields: schema.launchFields,
      answer: (launched) => ({ response: firstOf(launched).id }),
    },
  );

  const shared = { tag: "Instances", status: 202, body: schema.InstanceUuids };
  actionRoute(api, {
    ...shared,
    action: "restart",
    id: "restartInstances",
    path: "/instance/restart",
    // The vendor's clients restart running instances, and mean a reboot.
    instead: ({ version }) => (version === "vendor-1.0" ? "reboot" : "restart"),
    ids: "instanceUuids",
    answerAt: ["response"],
    item: schema.RestartedInstance,
    view: view.restarted,
    example: { request: example.instanceUuids, item: view.restarted(sampleAfter("restart")) },
  });
  actionRoute(api, {
    ...shared,
    action: "terminate",
    id: "terminateInstances",
    path: "/instance/terminate",
    ids: "instanceUuids",
    answerAt: ["response", "data", "terminated_instances"],
    item: schema.TerminatedInstance,
    view: view.terminated,
    example: { request: example.instanceUuids, item: view.terminated(sampleAfter("terminate")) },
  });
}
