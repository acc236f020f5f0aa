// Control interface: invitations to a team, and accepting one, for which no token is needed. Operators invite the first
// owner of an account.
// Invariant: who invites has the scopes that the person's token gets, so privileges cannot be escalated.

import { Type } from "typebox";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { tokenWithSpent } from "../../../rental/billing/spent.ts";
import { acceptInvitation, invite, listInvitations, revokeInvitation } from "../../../rental/people/invitations.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { refuseOtherScopes } from "../accounts/own-account.ts";
import * as tokenView from "../accounts/token-view.ts";
import { Member, memberView } from "../accounts/view.ts";
import * as field from "../fields.ts";
import { inOwnTeam } from "./members.ts";
import * as view from "./view.ts";

const tag = "People";

const Joined = Type.Object(
  {
    account: field.Named,
    member: Member,
    token: tokenView.MadeToken,
  },
  { title: "Joined" },
);

export function invitationRoutes(api: Api): void {
  api.get(
    "/invitations",
    {
      id: "listInvitations",
      tag,
      summary: "List open invitations",
      description: "Oldest first.",
      right: "members",
      query: Type.Object(pageQuery),
      answer: field.many(view.Invitation),
      example: { answer: { data: [view.examples.listed] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => listInvitations(db, principal.accountId, window))).map(view.invitation),
    }),
  );

  const describedInvite =
    "Replaces an earlier invitation of the address. Only this response has the `secret`; give it to the person, who also " +
    "gets it by email if your provider has configured that.";
  const inviting = {
    right: "members",
    body: view.CreateInvitation,
    answer: field.one(view.MadeInvitation),
    example: { request: view.examples.invite, answer: { data: view.examples.made } },
  } as const;

  api.post(
    "/invitations",
    {
      id: "createInvitation",
      tag,
      summary: "Invite a person to your team",
      description: `${describedInvite} Only owners invite owners, and no token with a spend limit invites (409).`,
      ...inviting,
      errors: ["duplicate", "quota-exceeded", "conflict"],
    },
    async ({ tx, principal, body, service }) => {
      refuseOtherScopes(principal, ["read", "write"]);
      const made = await invite(tx, inOwnTeam(principal), body, service.keyRing);
      return { data: { ...view.invitation(made), secret: made.secret } };
    },
  );

  api.post(
    "/accounts/:id/invitations",
    {
      id: "createAccountInvitation",
      tag: "Accounts",
      summary: "Invite a person to an account",
      description: `${describedInvite} An account gets its first owner so.`,
      scope: "operator",
      ...inviting,
      params: field.IdParam,
      errors: ["unknown-object", "duplicate", "quota-exceeded", "conflict"],
    },
    async ({ tx, principal, params, body, service }) => {
      const { id } = await readAccount(tx, params.id);
      const made = await invite(tx, { by: principal, accountId: id, through: "operator" }, body, service.keyRing);
      return { data: { ...view.invitation(made), secret: made.secret } };
    },
  );

  api.delete(
    "/invitations/:id",
    {
      id: "revokeInvitation",
      tag,
      summary: "Revoke an invitation",
      description: "Its secret can no longer be accepted.",
      right: "members",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal, params }) => {
      await revokeInvitation(tx, inOwnTeam(principal), params.id);
      return { data: {} };
    },
  );

  api.open(
    "/invitations/accept",
    {
      id: "acceptInvitation",
      tag,
      summary: "Accept an invitation",
      description:
        "Needs no token: a new person joins, with the `name`. With your own token or session of another team, you join as the " +
        "same person. Once; only this response has the `token`, which is for this team.",
      body: view.AcceptInvitation,
      right: "see",
      answer: field.one(Joined),
      example: {
        request: { secret: view.examples.made.secret, name: view.examples.member.name },
        answer: {
          data: {
            account: { id: "0198c59f-0000-7000-8000-000000000001", name: "acme" },
            member: view.examples.member,
            token: { ...tokenView.examples.made, person_id: view.examples.member.id },
          },
        },
      },
      errors: ["conflict"],
    },
    async ({ tx, principal, body }) => {
      const { team, member, token } = await acceptInvitation(tx, { ...body, by: principal });
      const made = await tokenWithSpent(tx, team.id, token);
      return {
        principal: { accountId: team.id, tokenId: token.id, scopes: new Set(token.scopes) },
        answer: { data: { account: team, member: memberView(member), token: tokenView.madeToken(made) } },
      };
    },
  );
}
