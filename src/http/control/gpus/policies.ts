// Control interface: what happens to the GPUs of a model between two tenants, for operators. What it does:
// rental/gpus/policies.ts.

import { type Static, Type } from "typebox";
import {
  listGpuPolicies,
  removeGpuPolicy,
  setGpuPolicy,
  type ValidationPolicy,
  validationDefaults,
} from "../../../rental/gpus/policies.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import { examples, handover, policy, ShownPolicy, validation } from "./view.ts";

const tag = "GPUs";

const ModelParam = Type.Object({ model: field.gpuModel() });

const region = () =>
  Type.Optional(
    Type.String({ ...limit.name, description: "Only in this region. Default: every region that has none of its own." }),
  );

const Validation = validation();
const PutPolicy = Type.Object({ region: region(), handover: handover(), validation: Type.Optional(Validation) });

export function gpuPolicyRoutes(api: Api): void {
  api.get(
    "/gpu-policies",
    {
      id: "listGpuPolicies",
      tag,
      summary: "List GPU policies",
      description:
        "What happens to GPUs between two tenants, by model and region. A model without a policy has `none`.",
      scope: "operator",
      answer: field.many(ShownPolicy),
      example: { answer: { data: [examples.policy] } },
    },
    async ({ db }) => ({ data: (await listGpuPolicies(db)).map(policy) }),
  );

  api.put(
    "/gpu-policies/:model",
    {
      id: "putGpuPolicy",
      tag,
      summary: "Set a GPU policy",
      description:
        "Counts for GPUs of the model that instances give back, or that are new, from now on. With `reset`, each host " +
        "needs a GPU helper: without one its GPUs are quarantined. `reset+validate` requires `validation`; without that " +
        "handover its image serves validations on demand and burn-ins. Replaces the whole policy.",
      scope: "operator",
      params: ModelParam,
      body: PutPolicy,
      answer: field.one(ShownPolicy),
      example: {
        request: { handover: "reset+validate", validation: { image: "gpu-validation" } },
        answer: { data: examples.policy },
      },
      errors: ["unknown-name"],
    },
    async ({ tx, params: { model: gpuModel }, body: { region: of, handover: between, validation: by } }) => {
      const order = { gpuModel, region: of ?? null, handover: between, validation: by ? validationOf(by) : null };
      return { data: policy(await setGpuPolicy(tx, order)) };
    },
  );

  api.delete(
    "/gpu-policies/:model",
    {
      id: "deleteGpuPolicy",
      tag,
      summary: "Remove a GPU policy",
      description: "The model has `none` again, or in a region the policy of every region.",
      scope: "operator",
      params: ModelParam,
      query: Type.Object({ region: region() }),
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params, query }) => {
      await removeGpuPolicy(tx, params.model, query.region ?? null);
      return { data: {} };
    },
  );
}

function validationOf(told: Static<typeof Validation>): ValidationPolicy {
  const otherwise = validationDefaults;
  return {
    image: told.image,
    every: told.every ?? otherwise.every,
    deadlineSeconds: told.deadline_seconds ?? otherwise.deadlineSeconds,
    attempts: told.attempts ?? otherwise.attempts,
    warning: told.warning ?? otherwise.warning,
    burnInHours: told.burn_in_hours ?? otherwise.burnInHours,
    vcpus: told.vcpus ?? otherwise.vcpus,
    memoryGib: told.memory_gib ?? otherwise.memoryGib,
    storageGb: told.storage_gb ?? otherwise.storageGb,
  };
}
