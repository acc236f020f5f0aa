// Variant D: SSH keys, token and billing. Specification, "Endpoints, variant D"; decisions, section 8.

import { Type } from "typebox";
import { readAccount } from "../../rental/accounts/account-store.ts";
import * as keys from "../../rental/ssh-keys/ssh-keys.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import { sample } from "../api/schema.ts";
import * as schema from "./account-schema.ts";
import * as vendor from "./vendor.ts";

export function accountRoutes(api: Api): void {
  api.get(
    "/ssh-keys",
    {
      id: "listSshKeys",
      tag: "SSH keys",
      summary: "List SSH keys",
      description: "Your SSH keys, oldest first.",
      query: Type.Object(pageQuery),
      cached: "account",
      answer: schema.Keys,
      example: { answer: { sshKeys: [{ id: sample.keyId, name: "laptop", public_key: sample.publicKey }] } },
    },
    async ({ db, principal, page }) => {
      const found = await page(byId, (window) => keys.listKeys(db, principal, window));
      return { sshKeys: found.map(({ id, name, publicKey }) => ({ id, name, public_key: publicKey })) };
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
      answer: schema.AddedKey,
      example: {
        request: { name: "laptop", publicKey: sample.publicKey },
        answer: { sshKey: { id: sample.keyId, name: "laptop" } },
      },
      errors: ["duplicate", "quota-exceeded"],
    },
    async ({ tx, principal, body }) => {
      const fields = { name: "name", publicKey: "publicKey" };
      const { id, name } = await keys.addKey(tx, principal, { name: body.name, publicKey: body.publicKey, fields });
      return { sshKey: { id, name } };
    },
  );

  api.delete(
    "/ssh-keys/:id",
    {
      id: "deleteSshKey",
      tag: "SSH keys",
      summary: "Delete an SSH key",
      description: "Deletes a key. Instances launched with it keep it.",
      params: schema.KeyId,
      answer: schema.DeletedKey,
      example: { answer: { result: {} } },
      errors: ["unknown-ssh-key"],
    },
    async ({ tx, principal, params }) => {
      await keys.deleteKey(tx, principal, params.id);
      return { result: {} };
    },
  );

  api.post(
    "/account/token/validation",
    {
      id: "validateToken",
      tag: "Account",
      summary: "Validate your token",
      description: "Confirms that the token is valid, whatever its scopes. An invalid token gets 401.",
      scope: ["read", "write", "operator"],
      right: "see",
      answer: schema.ValidToken,
      example: { answer: { message: "Valid Token" } },
    },
    async () => ({ message: "Valid Token" as const }),
  );

  api.get(
    "/account/billing",
    {
      id: "getBilling",
      tag: "Account",
      summary: "Read how you are billed",
      description: "Whether you pay before or afterward. Nothing is recharged, so all amounts are 0.",
      answer: schema.Billing,
      pinned: vendor.billing,
      example: { answer: { billingMethod: "postpaid", ...noRecharge } },
    },
    async ({ db, principal }) => {
      const { paymentTerms } = await readAccount(db, principal.accountId);
      return { billingMethod: paymentTerms, ...noRecharge };
    },
  );
}

const noRecharge = {
  rechargeThresholdCents: 0,
  rechargeThreshold: 0,
  rechargeAmountCents: 0,
  rechargeAmount: 0,
};
