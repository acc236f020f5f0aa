// Control interface: images. Operators manage them; accounts that launch may see all of each, because no field is for
// operators only. Source: decisions, The control API; `default` is an addition, because a launch without an image uses
// the operator's default one.

import { type Static, Type } from "typebox";
import { architectures, defaultArchitecture } from "../../../rental/catalog/architecture.ts";
import {
  deleteImage,
  listImages,
  type NewImage,
  putImage,
  type Image as StoredImage,
} from "../../../rental/catalog/image-store.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import { sampleImage } from "../../api/samples.ts";
import * as field from "../fields.ts";

const Image = Type.Object(
  {
    name: field.name("ubuntu-24.04-cuda"),
    number: Type.Integer(),
    description: Type.String(),
    family: Type.String(),
    version: Type.String(),
    architecture: Type.Enum([...architectures], { title: "Architecture" }),
    login_user: Type.String(),
    unsupported_gpu_models: Type.Array(Type.String()),
    jupyter: Type.Boolean(),
    metrics: Type.Boolean(),
    driver_branch: field.orNull(Type.String(), "The driver branch that it needs on boards with NVSwitch; null: each."),
    default: Type.Boolean(),
    created_at: field.timestamp(),
    updated_at: field.timestamp(),
  },
  { title: "Image" },
);

const PutImage = Type.Object({
  number: field.whole(1, 2_147_483_647, "The image's identifier in variant D. Unique."),
  description: field.words("Default: the name.", "Ubuntu 24.04 with CUDA 13"),
  family: Type.Optional(Type.String({ maxLength: 64, description: "Default: the name.", examples: ["ubuntu"] })),
  version: Type.Optional(
    Type.String({ maxLength: 64, description: "Free text. Default: empty.", examples: ["24.04.2"] }),
  ),
  architecture: field.architecture("Runs only on instance types of the same architecture."),
  login_user: Type.Optional(
    Type.String({
      pattern: "^[a-z_][a-z0-9_-]{0,31}$",
      description: "The user to log in as. Default: `ubuntu`.",
      examples: ["ubuntu"],
    }),
  ),
  unsupported_gpu_models: Type.Optional(
    Type.Array(field.gpuModel(), {
      maxItems: 100,
      description: "GPU models of instance types that the image cannot run on. Default: none.",
    }),
  ),
  jupyter: Type.Optional(
    Type.Boolean({
      description: "Whether the image serves Jupyter with the token that each instance is given. Default: false.",
    }),
  ),
  metrics: Type.Optional(
    Type.Boolean({
      description:
        "Whether the image has the agent that reports metrics from inside the guest, as images of `lessor image build --metrics` " +
        "have: only instances of such images are read. Default: false.",
    }),
  ),
  driver_branch: Type.Optional(
    field.orNull(
      Type.String({ pattern: "^[0-9]{1,6}$", examples: ["570"] }),
      "The branch of its GPU driver. On boards with NVSwitch it runs only where the fabric manager has the same. Default: " +
        "null, each.",
    ),
  ),
  default: Type.Optional(
    Type.Boolean({
      description: "Whether launches without an image use this one. Only one image is the default. Default: false.",
    }),
  ),
});

const tag = "Images";
const example = view(sampleImage);

/** The body of the PUT: the name is in its path. */
const { name: _, created_at: __, updated_at: ___, ...request } = example;

export function imageRoutes(api: Api): void {
  api.get(
    "/images",
    {
      id: "listImages",
      tag,
      summary: "List images",
      description: "All images, by name.",
      scope: ["read", "operator"],
      query: Type.Object(pageQuery),
      cached: "catalog",
      answer: field.many(Image),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({ data: (await page(byName, (window) => listImages(db, window))).map(view) }),
  );

  api.put(
    "/images/:name",
    {
      id: "putImage",
      tag,
      summary: "Create or replace an image",
      description: "If no image is the default, the image with the lowest number is used.",
      scope: "operator",
      params: field.ImageNameParam,
      body: PutImage,
      answer: field.one(Image),
      example: { request, answer: { data: example } },
      errors: ["duplicate"],
    },
    async ({ tx, params, body }) => ({ data: view(await putImage(tx, imageFrom(params.name, body))) }),
  );

  api.delete(
    "/images/:name",
    {
      id: "deleteImage",
      tag,
      summary: "Delete an image",
      description: "It can no longer be launched; existing instances keep running.",
      scope: "operator",
      params: field.ImageNameParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      await deleteImage(tx, params.name);
      return { data: {} };
    },
  );
}

function imageFrom(name: string, body: Static<typeof PutImage>): NewImage {
  return {
    name,
    number: body.number,
    description: body.description ?? name,
    family: body.family ?? name,
    version: body.version ?? "",
    architecture: body.architecture ?? defaultArchitecture,
    loginUser: body.login_user ?? "ubuntu",
    unsupportedGpuModels: [...new Set(body.unsupported_gpu_models)],
    jupyter: body.jupyter ?? false,
    metrics: body.metrics ?? false,
    driverBranch: body.driver_branch ?? null,
    isDefault: body.default ?? false,
  };
}

function view(image: StoredImage) {
  return {
    name: image.name,
    number: image.number,
    description: image.description,
    family: image.family,
    version: image.version,
    architecture: image.architecture,
    login_user: image.loginUser,
    unsupported_gpu_models: [...image.unsupportedGpuModels],
    jupyter: image.jupyter,
    metrics: image.metrics,
    driver_branch: image.driverBranch,
    default: image.isDefault,
    created_at: image.createdAt.toISOString(),
    updated_at: image.updatedAt.toISOString(),
  };
}
