// Control interface: GPUs, for operators: where each is and why, quarantine, retest, validation and release. What they do:
// rental/gpus/decisions.ts.

import { Type } from "typebox";
import { type GpuDecision, quarantineGpu, releaseGpu, retestGpu, validateGpu } from "../../../rental/gpus/decisions.ts";
import { type Gpu, gpuKey, listGpus } from "../../../rental/gpus/gpu-reading.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import { examples, gpu, gpuState, ShownGpu, ShownRelease } from "./view.ts";

const tag = "GPUs";

const GpuQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(gpuState()),
  host: Type.Optional(Type.String({ ...limit.name, description: "Only GPUs of the host of this name." })),
  model: Type.Optional(Type.String({ ...limit.name, description: "Only GPUs of this model." })),
  quarantined: Type.Optional(
    Type.Boolean({ description: "Only GPUs that are quarantined, or are when their instance is gone." }),
  ),
});

const GpuParam = Type.Object({
  ...field.NameParam.properties,
  address: Type.String({ maxLength: 64, description: "The address of the GPU on the host, such as a PCI address." }),
});

const Reason = Type.Object({
  reason: field.reason("Row remapping failure"),
});

const Release = Type.Object({
  confirmation: field.confirmation(),
});

const byGpu: Key<Gpu> = {
  of: gpuKey,
  accepts: (text) => /^[^ ]+ .+$/.test(text) && text.isWellFormed() && !text.includes("\0"),
};

export function gpuRoutes(api: Api): void {
  api.get(
    "/gpus",
    {
      id: "listGpus",
      tag,
      summary: "List GPUs",
      description: "All GPUs of all hosts, by host and address: their state, and why one is quarantined.",
      scope: "operator",
      query: GpuQuery,
      answer: field.many(ShownGpu),
      example: { answer: { data: [examples.quarantined] } },
    },
    async ({ db, query: { state, host, model, quarantined }, page }) => ({
      data: (await page(byGpu, (part) => listGpus(db, part, { state, host, model, quarantined }))).map(gpu),
    }),
  );

  api.post(
    "/hosts/:name/gpus/:address/quarantine",
    {
      id: "quarantineGpu",
      tag,
      summary: "Quarantine a GPU",
      description:
        "No instance gets it from now on, until it is retested or released. An instance that has it keeps it, and it is " +
        "quarantined when that is gone (`quarantine_next`). Safe to repeat; a new reason replaces the old one.",
      scope: "operator",
      params: GpuParam,
      body: Reason,
      answer: field.one(ShownGpu),
      example: { request: { reason: "Row remapping failure" }, answer: { data: examples.decided } },
      errors: ["unknown-object"],
      statesReason: true,
    },
    async ({ tx, principal, params: { name, address }, body: { reason } }) => {
      const decision: GpuDecision = { reason, by: principal.accountId };
      return { data: gpu(await quarantineGpu(tx, name, address, decision)) };
    },
  );

  api.post(
    "/hosts/:name/gpus/:address/retest",
    {
      id: "retestGpu",
      tag,
      summary: "Retest a GPU",
      description:
        "The helper of its host resets it again, and it is validated if its policy says so. It is offered when that is " +
        "verified, and quarantined again if not. Safe to repeat.",
      scope: "operator",
      params: GpuParam,
      answer: field.one(ShownGpu),
      example: { answer: { data: examples.sanitizing } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, params: { name, address } }) => ({ data: gpu(await retestGpu(tx, name, address)) }),
  );

  api.post(
    "/hosts/:name/gpus/:address/validate",
    {
      id: "validateGpu",
      tag,
      summary: "Validate a GPU",
      description:
        "A machine of the service checks a free GPU, whatever its policy says; a quarantined one is reset before. It is " +
        "offered again by the verdict, and quarantined otherwise. Rejected with 409 while an instance has it, and if no " +
        "policy of its model has a `validation`. Safe to repeat.",
      scope: "operator",
      params: GpuParam,
      answer: field.one(ShownGpu),
      example: { answer: { data: examples.validating } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, params: { name, address } }) => ({ data: gpu(await validateGpu(tx, name, address)) }),
  );

  api.post(
    "/hosts/:name/gpus/:address/release",
    {
      id: "releaseGpu",
      tag,
      summary: "Release a GPU",
      description:
        "Offers a quarantined GPU again as it is; one that its policy resets is reset before (`reset_before`) if no reset has " +
        "come to an end since its last instance. One that an instance has is not quarantined when that ends. Without `confirmation` nothing happens: the response says why it is " +
        "quarantined, and has the `confirmation` to send. Rejected with 409 if that has changed meanwhile.",
      scope: "operator",
      params: GpuParam,
      body: Release,
      bodyOptional: true,
      answer: field.one(ShownRelease),
      example: {
        request: {},
        answer: {
          data: { released: false, reset_before: false, confirmation: "5f0c2b1e9a7d4c36", gpu: examples.quarantined },
        },
      },
      errors: ["unknown-object", "conflict"],
      isPreview: ({ confirmation }) => confirmation === undefined,
    },
    async ({ tx, principal, params: { name, address }, body: { confirmation } }) => {
      const release = await releaseGpu(tx, name, address, { confirmation, by: principal.accountId });
      return {
        data: {
          ...{ released: release.isReleased, reset_before: release.isResetBefore },
          ...{ confirmation: release.confirmation, gpu: gpu(release.gpu) },
        },
      };
    },
  );
}
