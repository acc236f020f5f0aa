// Control interface: the encryption keys, by their ids, for operators. Source: docs/reference/api/control.md, Encryption keys.
// Nothing here shows a key, or anything that was sealed.

import { Type } from "typebox";
import type { EncryptionStatus, Rotation } from "../../../encryption/index.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";

const tag = "Encryption";
const keyId = () =>
  Type.String({
    description: "First 8 hexadecimal digits of the SHA-256 of the key.",
    examples: ["9f2c61d4"],
  });

const ShownRotation = Type.Object(
  {
    state: Type.Enum(["running", "done", "incomplete"], {
      description: "`incomplete`: it has ended, and `problem` says what was not done.",
    }),
    makes_key: Type.Boolean({ description: "Whether a new key is made for it." }),
    key_id: field.orNull(keyId(), "What everything is sealed with in the end. Null until a new key is in use."),
    resealed: field.whole(0, Number.MAX_SAFE_INTEGER, "How many values were re-encrypted."),
    asked_at: field.timestamp(),
    finished_at: field.orNull(field.timestamp()),
    problem: field.orNull(Type.String(), "What it waits for, or why something was left undone."),
  },
  { title: "Rotation" },
);

const ShownEncryption = Type.Object(
  {
    keys_from: Type.Enum(["file", "environment"], { description: "Of the server that answers." }),
    current_key_id: keyId(),
    keys: Type.Array(
      Type.Object({
        id: keyId(),
        current: Type.Boolean({ description: "Whether the server that answers seals with it." }),
        known: Type.Boolean({ description: "Whether that server has it." }),
        values: field.whole(0, Number.MAX_SAFE_INTEGER, "How many values are sealed with it."),
        kinds: Type.Record(Type.String(), Type.Integer(), { description: "The same, kind by kind." }),
      }),
      { description: "The keys of that server, the first is the one that is to seal; and those that it lacks." },
    ),
    rotation: field.orNull(ShownRotation, "The one under way, or the last one."),
  },
  { title: "Encryption" },
);

const RetireKey = Type.Object({
  key_id: Type.String({ pattern: "^[0-9a-f]{8}$", description: "The id of an old key.", examples: ["41d0aa7e"] }),
});

const exampleRotation = {
  state: "running" as const,
  makes_key: true,
  key_id: "9f2c61d4",
  resealed: 1200,
  asked_at: "2026-03-01T12:00:00.000Z",
  finished_at: null,
  problem: null,
};

const exampleStatus = {
  keys_from: "file" as const,
  current_key_id: "9f2c61d4",
  keys: [
    { id: "9f2c61d4", current: true, known: true, values: 1200, kinds: { "instances.env_vars": 1200 } },
    { id: "41d0aa7e", current: false, known: true, values: 340, kinds: { "idempotency_keys.answer": 340 } },
  ],
  rotation: exampleRotation,
};

export function encryptionRoutes(api: Api): void {
  const { encryption } = api.context;

  api.get(
    "/encryption",
    {
      id: "getEncryption",
      tag,
      summary: "Read which encryption keys there are",
      description: "By their ids: which key seals, and how much is sealed with each. Counts everything: for people.",
      scope: "operator",
      answer: field.one(ShownEncryption),
      example: { answer: { data: exampleStatus } },
    },
    async ({ db }) => ({ data: status(await encryption.status(db)) }),
  );

  api.post(
    "/encryption/rotate",
    {
      id: "rotateEncryption",
      tag,
      summary: "Re-encrypt everything with a new key",
      description:
        "Where the server keeps its keys in its key file and is the only one that runs, with a key that it makes; otherwise " +
        "with the first of its keys, which every running server must have and seal with. It happens soon after the answer, " +
        "online, and goes on after a crash: look at `GET /encryption`. While one is under way, the answer is that one.",
      scope: "operator",
      bodyOptional: true,
      body: Type.Object({}),
      answer: field.one(ShownRotation),
      example: { request: {}, answer: { data: exampleRotation } },
      errors: ["conflict"],
    },
    async ({ tx }) => ({ data: rotation(await encryption.rotate(tx)) }),
  );

  api.post(
    "/encryption/retire",
    {
      id: "retireEncryptionKey",
      tag,
      summary: "Remove an old key from the key file",
      description:
        "Of the server that answers. Refused while a server seals with it or anything is sealed with it. Backups of before " +
        "the rotation still need the key: keep a copy with them.",
      scope: "operator",
      body: RetireKey,
      answer: field.nothing,
      example: { request: { key_id: "41d0aa7e" }, answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, body }) => {
      await encryption.retire(tx, body.key_id);
      return { data: {} };
    },
  );
}

function status({ keysFrom, currentKeyId, keyIds, sealed, rotation: latest }: EncryptionStatus) {
  const ids = [...new Set([...keyIds, ...sealed.map((one) => one.keyId)])];
  return {
    keys_from: keysFrom,
    current_key_id: currentKeyId,
    keys: ids.map((id) => {
      const own = sealed.filter((one) => one.keyId === id);
      return {
        id,
        current: id === currentKeyId,
        known: keyIds.includes(id),
        values: own.reduce((sum, one) => sum + one.count, 0),
        kinds: Object.fromEntries(own.map((one) => [one.kind, one.count])),
      };
    }),
    rotation: latest === undefined ? null : rotation(latest),
  };
}

function rotation({ makesKey, keyId, resealed, askedAt, finishedAt, problem }: Rotation) {
  const ended = problem === null ? ("done" as const) : ("incomplete" as const);
  return {
    state: finishedAt === null ? ("running" as const) : ended,
    makes_key: makesKey,
    key_id: keyId,
    resealed,
    asked_at: askedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    problem,
  };
}
