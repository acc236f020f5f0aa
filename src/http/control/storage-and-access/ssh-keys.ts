// Control interface: an account's SSH keys, as in the variants, with a generated pair if no key is given.
// Source: decisions, SSH keys.

import { Type } from "typebox";
import type { SshKey as StoredKey } from "../../../rental/ssh-keys/ssh-key.ts";
import { addKey, deleteKey, generateKey, listKeys } from "../../../rental/ssh-keys/ssh-keys.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const shown = {
  id: field.uuid(),
  name: field.name("laptop"),
  public_key: Type.String({ description: "One line, as in an authorized_keys file." }),
  fingerprint: Type.String({ description: "SHA-256, as `ssh-keygen -l` shows it." }),
  created_at: field.timestamp(),
};

const SshKey = Type.Object(shown, { title: "SshKey" });

const AddedSshKey = Type.Object(
  {
    ...shown,
    private_key: Type.Optional(
      Type.String({
        description: "In OpenSSH format. Only for a generated pair, only in this response, and not stored.",
      }),
    ),
  },
  { title: "AddedSshKey" },
);

const AddSshKey = Type.Object({
  name: Type.String({
    ...limit.keyName,
    description: "1 to 64 of letters, digits, space, `.`, `_`, `@`, `-`; unique in your account.",
    examples: ["laptop"],
  }),
  public_key: Type.Optional(
    Type.String({
      ...limit.publicKey,
      description: "One line, as in an authorized_keys file. Without it an ed25519 pair is generated.",
      examples: [sample.publicKey],
    }),
  ),
});

const tag = "SSH keys";
const fields = { name: "name", publicKey: "public_key" };
const example = view({
  id: sample.keyId,
  name: "laptop",
  publicKey: sample.publicKey,
  fingerprint: "SHA256:9wmdEpb5bKxMZ6ne3dXUPNKrKVVZGgzTXLdqXZJ6Yyk",
  createdAt: new Date("2026-03-01T11:00:00.000Z"),
});

export function sshKeyRoutes(api: Api): void {
  api.get(
    "/ssh-keys",
    {
      id: "listSshKeys",
      tag,
      summary: "List SSH keys",
      description: "Your SSH keys, oldest first.",
      query: Type.Object(pageQuery),
      cached: "account",
      answer: field.many(SshKey),
      example: { answer: { data: [example] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => listKeys(db, principal, window))).map(view),
    }),
  );

  api.post(
    "/ssh-keys",
    {
      id: "addSshKey",
      tag,
      summary: "Add or generate an SSH key",
      description:
        "Name it at launch. Without `public_key`, a key pair is generated; its private key is shown only here.",
      body: AddSshKey,
      answer: field.one(AddedSshKey),
      example: {
        request: { name: "laptop" },
        answer: {
          data: {
            ...example,
            private_key: "-----BEGIN OPENSSH PRIVATE KEY-----\n…\n-----END OPENSSH PRIVATE KEY-----\n",
          },
        },
      },
      errors: ["duplicate", "quota-exceeded"],
    },
    async ({ tx, principal, body: { name, public_key: publicKey } }) => {
      if (publicKey !== undefined) {
        return { data: view(await addKey(tx, principal, { name, publicKey, fields })) };
      }
      const pair = await generateKey(tx, principal, { name, fields });
      return { data: { ...view(pair), private_key: pair.privateKey } };
    },
  );

  api.delete(
    "/ssh-keys/:id",
    {
      id: "deleteSshKey",
      tag,
      summary: "Delete an SSH key",
      description: "Instances launched with it keep it.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-ssh-key"],
    },
    async ({ tx, principal, params }) => {
      await deleteKey(tx, principal, params.id);
      return { data: {} };
    },
  );
}

function view({ id, name, publicKey, fingerprint, createdAt }: StoredKey) {
  return { id, name, public_key: publicKey, fingerprint, created_at: createdAt.toISOString() };
}
