// Control interface: the encryption keys, by their ids, for operators. Source: docs/reference/api/control.md,
// Encryption keys. No response contains a key or an encrypted value.

import { Type } from "typebox";
import type { EncryptionStatus } from "../../../encryption/encryption.ts";
import type { Rotation } from "../../../encryption/rotation-store.ts";
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
      description: "`incomplete`: it has ended with an error; see `problem`.",
    }),
    makes_key: Type.Boolean({ description: "Whether a new key is created for it." }),
    key_id: field.orNull(keyId(), "The key that everything is re-encrypted with. Null until a new key is in use."),
    resealed: field.whole(0, Number.MAX_SAFE_INTEGER, "Number of re-encrypted values."),
    asked_at: field.timestamp(),
    finished_at: field.orNull(field.timestamp()),
    problem: field.orNull(Type.String(), "What it waits for, or why it is incomplete."),
  },
  { title: "Rotation" },
);

const ShownEncryption = Type.Object(
  {
    keys_from: Type.Enum(["file", "environment"], { description: "Of the responding replica." }),
    current_key_id: keyId(),
    keys: Type.Array(
      Type.Object({
        id: keyId(),
        current: Type.Boolean({ description: "Whether the responding replica encrypts with it." }),
        known: Type.Boolean({ description: "Whether that replica has it." }),
        values: field.whole(0, Number.MAX_SAFE_INTEGER, "Number of values encrypted with it."),
        kinds: Type.Record(Type.String(), Type.Integer(), { description: "The same by kind." }),
      }),
      { description: "The keys of that replica (the first is meant for encryption) and the keys that it lacks." },
    ),
    rotation: field.orNull(ShownRotation, "The current rotation, or the last one."),
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
      summary: "Read the encryption keys",
      description:
        "By ID: which key encrypts, and the number of values encrypted with each. Counts all values on each request: do not poll.",
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
        "If the replica has a key file and is the only one running, it creates a new key; otherwise it uses " +
        "the first of its keys, which every running replica must have and encrypt with. It starts shortly after the response, runs " +
        "online and resumes after a crash: see `GET /encryption`. While a rotation is in progress, the response is that rotation.",
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
        "From the key file of the responding replica. Rejected while a replica encrypts with it or any value is encrypted with it. Backups from before " +
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
