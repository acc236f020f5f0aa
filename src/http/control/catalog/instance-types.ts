// Control interface: instance types (products), for operators. A change affects new launches only.
// Source: decisions, The control API.

import { type Static, Type } from "typebox";
import { architectures, defaultArchitecture } from "../../../rental/catalog/architecture.ts";
import { deleteInstanceType, listInstanceTypes, putInstanceType } from "../../../rental/catalog/instance-type-store.ts";
import type { InstanceType as RentalInstanceType } from "../../../rental/instances/instance.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import { sampleOffer } from "../../api/samples.ts";
import * as field from "../fields.ts";

/** An instance type, in the catalog and as frozen into an instance at its launch. */
export const InstanceType = Type.Object(
  {
    name: field.name("gpu_1x_h100_pcie"),
    description: Type.String(),
    gpu_model: field.orNull(Type.String()),
    gpu_description: Type.String(),
    gpus: Type.Integer(),
    vcpus: Type.Integer(),
    memory_gib: Type.Integer(),
    storage_gb: Type.Integer(),
    price_cents_per_hour: Type.Integer(),
    spot_price_cents_per_hour: field.orNull(
      Type.Integer(),
      "Of spot instances. Null: it is not offered as spot; and always in an instance, which has one price.",
    ),
    architecture: Type.Enum([...architectures], { title: "Architecture" }),
  },
  { title: "InstanceType" },
);

const PutInstanceType = Type.Object({
  description: field.words("Default: the name.", "1x H100 (80 GB PCIe)"),
  gpu_model: Type.Optional(
    field.orNull(field.gpuModel(), "The model name that hosts report. Null (the default) for a type without GPUs."),
  ),
  gpu_description: field.words("Default: the GPU model, or `N/A` without GPUs.", "H100 (80 GB PCIe)"),
  gpus: Type.Optional(field.whole(0, 64, "Default: 0.")),
  vcpus: field.whole(1, 100_000),
  memory_gib: field.whole(1, 1_000_000),
  storage_gb: field.whole(1, 2_000_000),
  price_cents_per_hour: field.whole(0, field.mostPriceCents),
  spot_price_cents_per_hour: Type.Optional(
    field.orNull(
      field.whole(0, 100_000_000),
      "Of spot instances, which are evicted for launches that wait and for reservations; at most the price. Null (the default): no spot.",
    ),
  ),
  architecture: field.architecture("Images of the same architecture run on it."),
});

const tag = "Instance types";
const example = instanceTypeView(sampleOffer.product);

/** The body of the PUT: the name is in its path. */
const { name: _, ...request } = example;

export function instanceTypeRoutes(api: Api): void {
  api.get(
    "/instance-types",
    {
      id: "listInstanceTypes",
      tag,
      summary: "List instance types",
      description: "All instance types, by name.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(InstanceType),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({
      data: (await page(byName, (window) => listInstanceTypes(db, window))).map(instanceTypeView),
    }),
  );

  api.put(
    "/instance-types/:name",
    {
      id: "putInstanceType",
      tag,
      summary: "Create or replace an instance type",
      description: "Existing instances keep the type and the price they were launched with.",
      scope: "operator",
      params: field.NameParam,
      body: PutInstanceType,
      answer: field.one(InstanceType),
      example: { request, answer: { data: example } },
    },
    async ({ tx, params, body }) => ({
      data: instanceTypeView(await putInstanceType(tx, productFrom(params.name, body))),
    }),
  );

  api.delete(
    "/instance-types/:name",
    {
      id: "deleteInstanceType",
      tag,
      summary: "Delete an instance type",
      description: "It can no longer be launched; existing instances keep running.",
      scope: "operator",
      params: field.NameParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      await deleteInstanceType(tx, params.name);
      return { data: {} };
    },
  );
}

function productFrom(name: string, body: Static<typeof PutInstanceType>): RentalInstanceType {
  const gpuModel = body.gpu_model ?? null;
  return {
    name,
    description: body.description ?? name,
    gpuModel,
    gpuDescription: body.gpu_description ?? gpuModel ?? "N/A",
    gpus: body.gpus ?? 0,
    vcpus: body.vcpus,
    memoryGib: body.memory_gib,
    storageGb: body.storage_gb,
    priceCentsPerHour: body.price_cents_per_hour,
    spotPriceCentsPerHour: body.spot_price_cents_per_hour ?? null,
    architecture: body.architecture ?? defaultArchitecture,
  };
}

export function instanceTypeView(product: RentalInstanceType) {
  return {
    name: product.name,
    description: product.description,
    gpu_model: product.gpuModel,
    gpu_description: product.gpuDescription,
    gpus: product.gpus,
    vcpus: product.vcpus,
    memory_gib: product.memoryGib,
    storage_gb: product.storageGb,
    price_cents_per_hour: product.priceCentsPerHour,
    spot_price_cents_per_hour: product.spotPriceCentsPerHour,
    architecture: product.architecture,
  };
}
