// What the fake's Glance answers: images, created first and then given their bytes.

import { createHash } from "node:crypto";
import { errorAnswer, type FakeAnswer, type FakeCall, type FakeRoute, list, refusal, stamp, text } from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import type { FakeImage, FakeWorld } from "./world.ts";

const fields = [
  "name",
  "disk_format",
  "container_format",
  "visibility",
  "min_disk",
  "min_ram",
  "tags",
  "id",
  "protected",
];

export function glanceRoutes(world: FakeWorld): readonly FakeRoute[] {
  return [
    ["GET", /^\/v2\/images$/, (call) => all(world, call)],
    ["POST", /^\/v2\/images$/, (call) => create(world, call)],
    ["GET", /^\/v2\/images\/([^/]+)$/, (call, id = "") => ({ status: 200, body: shown(one(world, call, id)) })],
    ["PATCH", /^\/v2\/images\/([^/]+)$/, (call, id = "") => change(world, call, id)],
    ["DELETE", /^\/v2\/images\/([^/]+)$/, (call, id = "") => remove(world, call, id)],
    ["PUT", /^\/v2\/images\/([^/]+)\/file$/, (call, id = "") => upload(world, call, id)],
    [
      "GET",
      /^\/v2\/images\/([^/]+)\/file$/,
      (call, id = "") => ({ status: 200, body: one(world, call, id).bytes?.toString("latin1") ?? "" }),
    ],
  ];
}

export function glanceVersions(base: string): object {
  const rows = [15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((minor) => ({
    id: `v2.${minor}`,
    status: minor === 15 ? "CURRENT" : "SUPPORTED",
    links: [{ rel: "self", href: `${base}/v2/` }],
  }));
  return { versions: rows };
}

function visible({ caller }: FakeCall, { owner, visibility }: FakeImage): boolean {
  return visibility === "public" || owner === caller.project.id || isAdmin(caller);
}

function one({ images }: FakeWorld, call: FakeCall, id: string): FakeImage {
  const image = images.get(id);
  if (image === undefined || !visible(call, image)) throw refusal("image", 404, `No image found with ID ${id}`);
  return image;
}

function own(world: FakeWorld, call: FakeCall, id: string): FakeImage {
  const image = one(world, call, id);
  if (image.owner === call.caller.project.id || isAdmin(call.caller)) return image;
  throw refusal("image", 403, "You are not permitted to modify this image.");
}

function all({ images }: FakeWorld, call: FakeCall): FakeAnswer {
  const { query } = call;
  const filters = [...query].filter(([key]) => !["limit", "marker", "sort_key", "sort_dir", "sort"].includes(key));
  const found = [...images.values()]
    .filter((image) => visible(call, image) && filters.every(([key, value]) => fits(image, key, value)))
    .reverse();
  const marker = query.get("marker");
  const begin = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Math.min(Number(query.get("limit") ?? 25), 1000);
  const page = found.slice(begin, begin + limit);
  const path = (more: Record<string, string>) => {
    const rest = new URLSearchParams({ ...Object.fromEntries(query), ...more }).toString();
    return `/v2/images${rest === "" ? "" : `?${rest}`}`;
  };
  const last = page.at(-1)?.id;
  const next = last !== undefined && page.length === limit ? { next: path({ marker: last }) } : {};
  return { status: 200, body: { images: page.map(shown), first: path({}), schema: "/v2/schemas/images", ...next } };
}

function fits(image: FakeImage, key: string, value: string): boolean {
  if (key === "tag") return image.tags.includes(value);
  const of = shown(image)[key];
  return String(of) === value || (value.startsWith("in:") && value.slice(3).split(",").includes(String(of)));
}

function create(world: FakeWorld, { json, caller, base }: FakeCall): FakeAnswer {
  const visibility = text(json.visibility) ?? "shared";
  if (visibility === "public" && !isAdmin(caller))
    return errorAnswer("image", 403, "You are not authorized to complete publicize_image action.");
  const format = text(json.disk_format) ?? null;
  if (format !== null && !/^(ami|ari|aki|vhdx?|vmdk|raw|qcow2|vdi|iso|ploop)$/.test(format))
    return errorAnswer("image", 400, `Provided object does not match schema 'image': '${format}' is not one of []`);
  const id = text(json.id);
  const image = world.addImage(text(json.name) ?? "", caller.project, {
    ...(id === undefined ? {} : { id }),
    visibility:
      visibility === "public" || visibility === "private" || visibility === "community" ? visibility : "shared",
    ...{ status: "queued", bytes: undefined, diskFormat: format },
    containerFormat: text(json.container_format) ?? null,
    minDisk: Number(json.min_disk ?? 0),
    minRam: Number(json.min_ram ?? 0),
    tags: list(json.tags).map(String),
    properties: Object.fromEntries(Object.entries(json).filter(([key]) => !fields.includes(key))),
  });
  const headers = { location: `${base}/v2/images/${image.id}`, "openstack-image-import-methods": "glance-direct" };
  return { status: 201, headers, body: shown(image) };
}

function change(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const image = own(world, call, id);
  let sent: unknown;
  try {
    sent = JSON.parse(call.body.toString());
  } catch {
    return errorAnswer("image", 400, "Malformed JSON in request body.");
  }
  for (const { op, path, value } of list(sent) as readonly { op: string; path: string; value: unknown }[]) {
    const key = path.slice(1);
    if (key === "name") image.name = String(value);
    else if (op === "remove") delete image.properties[key];
    else image.properties[key] = value;
  }
  image.updated = world.now();
  return { status: 200, body: shown(image) };
}

function upload(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const image = own(world, call, id);
  if (image.status !== "queued")
    return errorAnswer("image", 409, "Image status transition from active to saving is not allowed");
  Object.assign(image, { bytes: call.body, status: "active", updated: world.now() });
  return { status: 204 };
}

function remove(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const image = world.images.get(id);
  if (image === undefined || !visible(call, image))
    return errorAnswer("image", 404, `Failed to find image ${id} to delete`);
  world.images.delete(own(world, call, id).id);
  return { status: 204 };
}

function shown(image: FakeImage): Record<string, unknown> {
  const { bytes } = image;
  const hash = (name: string) => (bytes === undefined ? null : createHash(name).update(bytes).digest("hex"));
  const path = `/v2/images/${image.id}`;
  return {
    ...image.properties,
    ...{ name: image.name, disk_format: image.diskFormat, container_format: image.containerFormat },
    ...{ visibility: image.visibility, size: bytes?.length ?? null, virtual_size: null, status: image.status },
    ...{ checksum: hash("md5"), protected: false, min_ram: image.minRam, min_disk: image.minDisk, owner: image.owner },
    ...{ os_hidden: false, os_hash_algo: bytes === undefined ? null : "sha512", os_hash_value: hash("sha512") },
    ...{ id: image.id, created_at: stamp(image.created), updated_at: stamp(image.updated), tags: image.tags },
    ...{ self: path, file: `${path}/file`, schema: "/v2/schemas/image" },
    ...(bytes === undefined ? {} : { stores: "file" }),
  };
}
