// Variant M: SSH keys. Specification, "Endpoints, variant M".

import { Type } from "typebox";
import * as keys from "../../rental/ssh-keys/ssh-keys.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import { sample } from "../api/schema.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

export function keyRoutes(api: Api): void {
  api.get(
    "/ssh-keys",
    {
      id: "listSshKeys",
      tag: "SSH keys",
      summary: "List SSH keys",
      description: "Your SSH keys, oldest first.",
      query: Type.Object(pageQuery),
      cached: "account",
      answer: Type.Object({ data: Type.Array(schema.Key) }),
      example: { answer: { data: [{ id: sample.keyId, name: "laptop", public_key: sample.publicKey }] } },
    },
    async ({ db, principal, page }) => {
      const found = await page(byId, (window) => keys.listKeys(db, principal, window));
      return { data: found.map(view.key) };
    },
  );

  api.post(
    "/ssh-keys",
    {
      id: "addSshKey",
      tag: "SSH keys",
      summary: "Add an SSH key",
      description: "Adds a public key. Name it at launch.",
      body: schema.AddKey,
      answer: Type.Object({ data: Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String() }) }),
      example: {
        request: { name: "laptop", public_key: sample.publicKey },
        answer: { data: { id: sample.keyId, name: "laptop" } },
      },
      errors: ["duplicate", "quota-exceeded"],
    },
    async ({ tx, principal, body }) => {
      const fields = { name: "name", publicKey: "public_key" };
      const { id, name } = await keys.addKey(tx, principal, { name: body.name, publicKey: body.public_key, fields });
      return { data: { id, name } };
    },
  );

  api.delete(
    "/ssh-keys/:uuid",
    {
      id: "deleteSshKey",
      tag: "SSH keys",
      summary: "Delete an SSH key",
      description: "Deletes a key. Instances launched with it keep it.",
      params: schema.KeyId,
      answer: Type.Object({ data: Type.Object({}, { additionalProperties: false }) }),
      example: { answer: { data: {} } },
      errors: ["unknown-ssh-key"],
    },
    async ({ tx, principal, params }) => {
      await keys.deleteKey(tx, principal, params.uuid);
      return { data: {} };
    },
  );
}
