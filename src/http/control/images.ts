// Control interface: images, for operators. Source: decisions, The control API; `default` is an addition, because a
// launch without an image takes the operator's default one.

import { type Static, Type } from "typebox";
import * as catalog from "../../rental/catalog/index.ts";
import type { Api } from "../operations.ts";
import { byName, pageQuery } from "../paging.ts";
import * as field from "./fields.ts";

const Image = Type.Object({
  name: field.name("ubuntu-24.04-cuda"),
  number: Type.Integer(),
  description: Type.String(),
  family: Type.String(),
  login_user: Type.String(),
  unsupported_gpu_models: Type.Array(Type.String()),
  jupyter: Type.Boolean(),
  default: Type.Boolean(),
});

const PutImage = Type.Object({
  number: field.whole(1, 2_147_483_647, "How variant D calls the image. Unique."),
  description: field.words("Default: the name.", "Ubuntu 24.04 with CUDA 13"),
  family: Type.Optional(Type.String({ maxLength: 64, description: "Default: the name.", examples: ["ubuntu"] })),
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
  default: Type.Optional(
    Type.Boolean({
      description: "Whether a launch without an image takes this one; takes it from others. Default: false.",
    }),
  ),
});

const tag = "Images";
const example = view({
  name: "ubuntu-24.04-cuda",
  number: 3,
  description: "Ubuntu 24.04 with CUDA 13",
  family: "ubuntu",
  loginUser: "ubuntu",
  unsupportedGpuModels: ["k80"],
  jupyter: true,
  isDefault: true,
});

/** What the PUT takes: the name is in its path. */
const { name: _, ...request } = example;

export function imageRoutes(api: Api): void {
  api.get(
    "/images",
    {
      id: "listImages",
      tag,
      summary: "List images",
      description: "All images, by name.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(Image),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({ data: (await page(byName, (window) => catalog.listImages(db, window))).map(view) }),
  );

  api.put(
    "/images/:name",
    {
      id: "putImage",
      tag,
      summary: "Create or replace an image",
      description: "Where no image is the default one, the one with the lowest number counts as it.",
      scope: "operator",
      params: field.NameParam,
      body: PutImage,
      answer: field.one(Image),
      example: { request, answer: { data: example } },
      errors: ["duplicate"],
    },
    async ({ tx, params, body }) => ({ data: view(await catalog.putImage(tx, imageFrom(params.name, body))) }),
  );

  api.delete(
    "/images/:name",
    {
      id: "deleteImage",
      tag,
      summary: "Delete an image",
      description: "It can no longer be launched; its instances live on.",
      scope: "operator",
      params: field.NameParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      await catalog.deleteImage(tx, params.name);
      return { data: {} };
    },
  );
}

function imageFrom(name: string, body: Static<typeof PutImage>): catalog.Image {
  return {
    name,
    number: body.number,
    description: body.description ?? name,
    family: body.family ?? name,
    loginUser: body.login_user ?? "ubuntu",
    unsupportedGpuModels: [...new Set(body.unsupported_gpu_models)],
    jupyter: body.jupyter ?? false,
    isDefault: body.default ?? false,
  };
}

function view(image: catalog.Image) {
  return {
    name: image.name,
    number: image.number,
    description: image.description,
    family: image.family,
    login_user: image.loginUser,
    unsupported_gpu_models: [...image.unsupportedGpuModels],
    jupyter: image.jupyter,
    default: image.isDefault,
  };
}
