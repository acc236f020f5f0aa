// Control interface: people of a team and invitations in requests and responses. The secret of an invitation is only in
// the response that creates it. Used by members.ts and invitations.ts.

import { type Static, Type } from "typebox";
import type { Invitation as StoredInvitation } from "../../../rental/people/invitations.ts";
import { sampleMember, TeamRole } from "../accounts/view.ts";
import * as field from "../fields.ts";

export const ChangeMember = Type.Object({ role: TeamRole }, { title: "ChangeMember" });

const shown = {
  id: field.uuid(),
  email: Type.String({ examples: ["ada@example.com"] }),
  role: TeamRole,
  created_at: field.timestamp(),
  expires_at: field.timestamp(),
};
export const Invitation = Type.Object(shown, { title: "Invitation" });
export const MadeInvitation = Type.Object(
  {
    ...shown,
    secret: Type.String({ description: "Shown only once.", examples: ["lessor_invite_…"] }),
  },
  { title: "MadeInvitation" },
);
export const CreateInvitation = Type.Object(
  { email: field.emailAddress(), role: TeamRole },
  { title: "CreateInvitation" },
);

export const AcceptInvitation = Type.Object(
  {
    secret: Type.String({ minLength: 1, maxLength: 256, description: "Of the invitation." }),
    name: Type.Optional(field.label("Ada")),
  },
  { title: "AcceptInvitation" },
);

export function invitation(one: StoredInvitation): Static<typeof Invitation> {
  const { id, email: address, role, createdAt, expiresAt } = one;
  return { id, email: address, role, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}

const sample: Static<typeof Invitation> = {
  id: "0198c5a1-4400-7bb1-8cc2-dd33ee44ff55",
  email: "ada@example.com",
  role: "admin",
  created_at: "2026-03-01T12:00:00.000Z",
  expires_at: "2026-03-08T12:00:00.000Z",
};

/** For the document. */
export const examples = {
  member: sampleMember,
  invite: { email: sample.email, role: sample.role },
  listed: sample,
  made: { ...sample, secret: "lessor_invite_EXAMPLE-AND-NOT-A-SECRET-43-LETTERS-LIKE-THIS" },
};
