// Who may do what: every operation of every interface with every role, of people in a team and of operators. The
// operations come from the published documents; one that the table (operation-rights.ts) does not know fails.

import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { type OperatorRole, operatorRoles, type Right, type TeamRole, teamRoles } from "../../src/rules/roles.ts";
import { textAt } from "./client.ts";
import { operationRights } from "./operation-rights.ts";
import { rules } from "./operation-rules.ts";
import { type Customer, sceneOfFile } from "./scene.ts";

/** The rights of roles, as decided. */
const ofTeam: Record<TeamRole | "team", readonly Right[]> = {
  owner: ["see", "rent", "money", "limits", "members", "owners", "tokens"],
  admin: ["see", "rent", "money", "limits", "members", "tokens"],
  member: ["see", "rent"],
  billing: ["see", "money", "limits"],
  viewer: ["see"],
  // A token of the team itself.
  team: ["see", "rent", "money", "limits", "members", "tokens"],
};
const ofOperators: Record<OperatorRole, readonly Right[]> = {
  operator: ["see", "rent", "money", "limits", "members", "owners", "tokens", "fleet"],
  support: ["see", "rent"],
  finance: ["see", "money", "limits"],
  "read-only": ["see"],
};

const scene = sceneOfFile();
const names = ["marketplace", "direct", "reference", "lambda", "control"] as const;
const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
let ada: Customer;
const tokens = new Map<TeamRole | "team" | OperatorRole, string>();

beforeAll(async () => {
  ada = await scene.customer();
  tokens.set("team", ada.token);
  for (const role of teamRoles) tokens.set(role, (await scene.person(ada, role)).token);
  for (const operator_role of operatorRoles) {
    const order = { name: operator_role, scopes: ["operator"], operator_role };
    tokens.set(operator_role, textAt(await scene.control("POST", `/accounts/${ada.accountId}/tokens`, order), "token"));
  }
});

/** The operations of an interface, with the right that each needs. */
function needs(name: InterfaceName): [operation: string, right: Right][] {
  return Object.entries(operationRights[name]).flatMap(([right, operations]) =>
    operations.map((operation): [string, Right] => [operation, right as Right]),
  );
}

/** The status of a request that means nothing, and so gets past the gate and no further; 403: it does not get past. */
async function status(name: InterfaceName, operation: string, token: string | undefined): Promise<number> {
  const [method = "", template = ""] = operation.split(" ");
  const path = template.replace(/\{[^}]+\}/g, someId) + (template.endsWith("/stream") ? "?cursor=none" : "");
  const answer = await scene.client.ask(name, method, path, { token, body: method === "GET" ? undefined : "[]" });
  return answer.status;
}

describe.each(names)("every operation of %s", (name) => {
  it("is in the table, once", () => {
    const published = scene.client.operations(name).map(([method, path]) => `${method} ${path}`);
    expect(
      needs(name)
        .map(([operation]) => operation)
        .toSorted(),
    ).toEqual(published.toSorted());
  });

  it.each(Object.keys(ofTeam) as (keyof typeof ofTeam)[])("is open to %s as the table says", async (role) => {
    for (const [operation, right] of needs(name)) {
      if (rules[name][operation]?.scopes.every((scope) => scope === "operator") === true) continue;
      const isOpen = (await status(name, operation, tokens.get(role))) !== 403;
      expect(isOpen, `${operation} needs ${right}`).toBe(ofTeam[role].includes(right));
    }
  });

  it.each(operatorRoles)("for operators is open to %s as the table says", async (role) => {
    for (const [operation, right] of needs(name)) {
      if (rules[name][operation]?.scopes.includes("operator") !== true) continue;
      const isOpen = (await status(name, operation, tokens.get(role))) !== 403;
      expect(isOpen, `${operation} needs ${right}`).toBe(ofOperators[role].includes(right));
    }
  });
});

describe("a terminal, which no document describes", () => {
  it("is open to those who rent", async () => {
    for (const role of ["owner", "admin", "member", "billing", "viewer", "team"] as const) {
      const path = `${scene.server.control}/instances/${someId}/terminal`;
      const { status: given } = await fetch(path, { headers: { authorization: `Bearer ${tokens.get(role)}` } });
      expect(given, role).toBe(ofTeam[role].includes("rent") ? 404 : 403);
    }
  });
});
