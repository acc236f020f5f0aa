// Variant R: SSH keys. Specification, "Endpoints, variant R"; decisions, SSH keys.

import { Type } from "typebox";
import * as keys from "../../rental/ssh-keys/ssh-keys.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import * as example from "./examples.ts";
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
      example: { answer: { data: [example.key] } },
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
      summary: "Add or generate an SSH key",
      description: "Adds a public key. Without one, a key pair is generated; only this response has its private key.",
      body: schema.AddKey,
      answer: Type.Object({ data: Type.Array(schema.AddedKey, { minItems: 1, maxItems: 1 }) }),
      example: {
        request: { name: "laptop" },
        answer: {
          data: [
            {
              ...example.key,
              private_key: "-----BEGIN OPENSSH PRIVATE KEY-----\n…\n-----END OPENSSH PRIVATE KEY-----\n",
            },
          ],
        },
      },
      errors: ["duplicate", "quota-exceeded"],
    },
    async ({ tx, principal, body: { name, public_key: publicKey } }) => {
      const fields = { name: "name", publicKey: "public_key" };
      if (publicKey === undefined) {
        return { data: [view.generatedKey(await keys.generateKey(tx, principal, { name, fields }))] };
      }
      return { data: [view.key(await keys.addKey(tx, principal, { name, publicKey, fields }))] };
    },
  );

  api.delete(
    "/ssh-keys/:id",
    {
      id: "deleteSshKey",
      tag: "SSH keys",
      summary: "Delete an SSH key",
      description: "Deletes a key. Instances launched with it keep it. The response has no body.",
      params: schema.Id,
      errors: ["unknown-ssh-key"],
    },
    async ({ tx, principal, params }) => keys.deleteKey(tx, principal, params.id),
  );
}
