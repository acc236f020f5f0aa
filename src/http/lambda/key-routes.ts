// The lambda edition: SSH keys. Decisions, The lambda edition and SSH keys.

import { Type } from "typebox";
import * as keys from "../../rental/ssh-keys/ssh-keys.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";
import { takenAsInvalid } from "./within-list.ts";

export function keyRoutes(api: Api): void {
  api.get(
    "/ssh-keys",
    {
      id: "listSshKeys",
      tag: "SSH keys",
      summary: "List SSH keys",
      description: "Your SSH keys, oldest first.",
      query: schema.knownOnly(pageQuery),
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
      answer: Type.Object({ data: schema.AddedKey }),
      example: { request: { name: "laptop", public_key: example.key.public_key }, answer: { data: example.key } },
    },
    async ({ tx, principal, body: { name, public_key: publicKey } }) => {
      const fields = { name: "name", publicKey: "public_key" };
      if (publicKey === undefined) {
        const made = await takenAsInvalid(() => keys.generateKey(tx, principal, { name, fields }), "name");
        return { data: view.generatedKey(made) };
      }
      return {
        data: view.key(await takenAsInvalid(() => keys.addKey(tx, principal, { name, publicKey, fields }), "name")),
      };
    },
  );

  api.delete(
    "/ssh-keys/:id",
    {
      id: "deleteSshKey",
      tag: "SSH keys",
      summary: "Delete an SSH key",
      description: "Deletes a key. Instances launched with it keep it.",
      params: schema.Id,
      answer: schema.Nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-ssh-key"],
    },
    async ({ tx, principal, params }) => {
      await keys.deleteKey(tx, principal, params.id);
      return { data: {} };
    },
  );
}
