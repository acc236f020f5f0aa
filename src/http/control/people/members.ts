// Control interface: the people of a team, for its people and tokens; and for operators, those of any account.

import { Type } from "typebox";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { refuseRevokingTokensOf, refuseWithSpendLimit } from "../../../rental/accounts/token-limits.ts";
import { changeRole, listMembers, lockTeam, removeMember } from "../../../rental/people/members.ts";
import type { Principal } from "../../../rental/service.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { Member, memberView } from "../accounts/view.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const tag = "People";

export function memberRoutes(api: Api): void {
  api.get(
    "/members",
    {
      id: "listMembers",
      tag,
      summary: "List the people of your team",
      description: "With their roles, in the order in which the service first knew them.",
      query: Type.Object(pageQuery),
      answer: field.many(Member),
      example: { answer: { data: [view.examples.member] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => listMembers(db, principal.accountId, window))).map(memberView),
    }),
  );

  api.patch(
    "/members/:id",
    {
      id: "changeMember",
      tag,
      summary: "Change the role of a person",
      description:
        "Takes effect with the next request. Only owners create owners and change them; the last owner stays one (409).",
      right: "members",
      params: field.IdParam,
      body: view.ChangeMember,
      answer: field.one(Member),
      example: { request: { role: "admin" }, answer: { data: view.examples.member } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, body }) => {
      const change = inOwnTeam(principal);
      await lockTeam(tx, principal.accountId);
      await refuseWithSpendLimit(tx, principal, "change roles of people");
      return { data: memberView(await changeRole(tx, change, params.id, body.role)) };
    },
  );

  api.delete(
    "/members/:id",
    {
      id: "removeMember",
      tag,
      summary: "Remove a person from the team, or leave it",
      description:
        "Revokes the person's tokens of this team at once. Removing yourself needs no right. The last owner stays (409).",
      right: "see",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params }) => {
      await refuseRevokingTokensOf(tx, principal, params.id);
      await removeMember(tx, inOwnTeam(principal), params.id);
      return { data: {} };
    },
  );

  api.get(
    "/accounts/:id/members",
    {
      id: "listAccountMembers",
      tag: "Accounts",
      summary: "List the people of an account",
      description: "With their roles.",
      scope: "operator",
      params: field.IdParam,
      query: Type.Object(pageQuery),
      answer: field.many(Member),
      example: { answer: { data: [view.examples.member] } },
      errors: ["unknown-object"],
    },
    async ({ db, params, page }) => {
      const { id } = await readAccount(db, params.id);
      return { data: (await page(byId, (window) => listMembers(db, id, window))).map(memberView) };
    },
  );
}

/** A change of the team whose token it is. */
export const inOwnTeam = (by: Principal) => ({ by, accountId: by.accountId, through: "team" }) as const;
