// Control interface: an account's file systems. Source: decisions, The control API and Launch (mounted at /mnt/<name>).

import { Type } from "typebox";
import * as fileSystems from "../../../rental/file-systems/file-systems.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const FileSystem = Type.Object(
  {
    id: field.uuid(),
    name: field.name("models"),
    region: field.name("us-east-1"),
    size_gb: Type.Integer(),
    attached_to: field.orNull(field.uuid(), "The instance it is attached to; the first of several."),
    instance_ids: Type.Array(field.uuid(), { description: "All instances it is attached to." }),
    multi_attach: Type.Boolean({
      description: "Whether its storage allows several instances at once. False until it is first attached.",
    }),
    bytes_used: field.orNull(Type.Integer(), "Used storage, as last measured by the engine."),
    lost_at: field.orNull(
      field.timestamp(),
      "When its host was declared lost, and its data with it. Null: it was not. A lost one can only be deleted.",
    ),
    blocked: Type.Boolean({
      description:
        "Whether an instance that ended with its lost host may still use it: until that host is verified to be off, no " +
        "other instance can attach it.",
    }),
    created_at: field.timestamp(),
  },
  { title: "FileSystem" },
);

const CreateFileSystem = Type.Object({
  name: Type.String({
    ...limit.fileSystemName,
    description: "1 to 64 of letters, digits, `.`, `_` and `-`, not starting with `.` or `-`; unique in your account.",
    examples: ["models"],
  }),
  region: Type.String({
    ...limit.name,
    description: "Name of the region. Only instances in that region can attach it.",
    examples: ["us-east-1"],
  }),
  size_gb: field.whole(1, 1_000_000),
});

const tag = "File systems";
const example = view({
  id: "0198c5a4-33cc-7dd4-9ee5-ff6677889900",
  name: "models",
  region: sample.region.name,
  sizeGb: 512,
  attachedTo: [sample.id],
  multiAttach: true,
  bytesUsed: 52_428_800,
  lostAt: undefined,
  isBlocked: false,
  pin: undefined,
  createdAt: new Date("2026-03-01T11:00:00.000Z"),
});

export function fileSystemRoutes(api: Api): void {
  api.get(
    "/file-systems",
    {
      id: "listFileSystems",
      tag,
      summary: "List file systems",
      description: "Your file systems, oldest first.",
      query: Type.Object(pageQuery),
      answer: field.many(FileSystem),
      example: { answer: { data: [example] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => fileSystems.listFileSystems(db, principal, window))).map(view),
    }),
  );

  api.post(
    "/file-systems",
    {
      id: "createFileSystem",
      tag,
      summary: "Create a file system",
      description:
        "Persistent: it outlives its instances. Name it at launch to mount it at /mnt/<name>. Where " +
        "hosts do not share storage, it is on the host of its first instance, and later instances run on that host too. Several " +
        "instances can attach it at once if its storage allows it (`multi_attach`).",
      body: CreateFileSystem,
      answer: field.one(FileSystem),
      example: {
        request: { name: "models", region: sample.region.name, size_gb: 512 },
        answer: { data: { ...example, attached_to: null, instance_ids: [], multi_attach: false, bytes_used: null } },
      },
      errors: ["unknown-name", "duplicate", "quota-exceeded"],
    },
    async ({ tx, principal, body: { name, region, size_gb: sizeGb } }) => ({
      data: view(await fileSystems.createFileSystem(tx, principal, { name, region, sizeGb })),
    }),
  );

  api.delete(
    "/file-systems/:id",
    {
      id: "deleteFileSystem",
      tag,
      summary: "Delete a file system",
      description:
        "Deletes it with all data. Rejected while it is attached. It disappears immediately; its data is deleted shortly after.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "file-system-in-use"],
    },
    async ({ tx, principal, params }) => {
      await fileSystems.deleteFileSystem(tx, principal, params.id);
      return { data: {} };
    },
  );
}

function view(one: fileSystems.FileSystem) {
  return {
    id: one.id,
    name: one.name,
    region: one.region,
    size_gb: one.sizeGb,
    attached_to: one.attachedTo[0] ?? null,
    instance_ids: [...one.attachedTo],
    multi_attach: one.multiAttach,
    bytes_used: one.bytesUsed ?? null,
    lost_at: one.lostAt?.toISOString() ?? null,
    blocked: one.isBlocked,
    created_at: one.createdAt.toISOString(),
  };
}
