// Control interface: where a person is signed in to the console, and the team in which a session acts.
// Invariant: no response names another team, except to a session that can act in it.

import { type Static, Type } from "typebox";
import {
  endOtherSessions,
  endSessionOf,
  listSessions,
  listTeams,
  type Session as OpenSession,
  switchTeam,
} from "../../../rental/people/sessions.ts";
import type { Api } from "../../api/operations.ts";
import { TeamRole } from "../accounts/view.ts";
import * as field from "../fields.ts";

const tag = "People";

const Session = Type.Object(
  {
    id: field.uuid(),
    current: Type.Boolean({ description: "It sent this request." }),
    address: field.orNull(Type.String(), "Of the client that signed in."),
    user_agent: field.orNull(Type.String()),
    created_at: field.timestamp(),
    last_used_at: field.timestamp(),
    expires_at: field.timestamp(),
  },
  { title: "Session" },
);

const Team = Type.Object({ ...field.Named.properties, role: TeamRole }, { title: "Team" });

function view(one: OpenSession): Static<typeof Session> {
  return {
    ...{ id: one.id, current: one.isCurrent, address: one.address, user_agent: one.userAgent },
    created_at: one.createdAt.toISOString(),
    last_used_at: one.lastUsedAt.toISOString(),
    expires_at: one.expiresAt.toISOString(),
  };
}

const sample: Static<typeof Session> = {
  id: "0198c5a1-4400-7bb1-8cc2-dd33ee44ff55",
  current: true,
  address: "203.0.113.7",
  user_agent: null,
  created_at: "2026-03-01T12:00:00.000Z",
  last_used_at: "2026-03-01T12:30:00.000Z",
  expires_at: "2026-03-02T00:00:00.000Z",
};
const sampleTeam = { id: "0198c59f-0000-7000-8000-000000000001", name: "acme", role: "admin" as const };

export function sessionRoutes(api: Api): void {
  api.get(
    "/sessions",
    {
      id: "listSessions",
      tag,
      summary: "List your sessions",
      description: "Where you are signed in to the console, newest first.",
      answer: field.many(Session),
      example: { answer: { data: [sample] } },
    },
    async ({ db, principal }) => ({ data: (await listSessions(db, principal)).map(view) }),
  );

  api.delete(
    "/sessions",
    {
      id: "endOtherSessions",
      tag,
      summary: "End all your other sessions",
      description: "With a token: all of them.",
      right: "see",
      answer: field.nothing,
      example: { answer: { data: {} } },
    },
    async ({ tx, principal }) => {
      await endOtherSessions(tx, principal);
      return { data: {} };
    },
  );

  api.delete(
    "/sessions/:id",
    {
      id: "endSession",
      tag,
      summary: "End a session",
      description: "Takes effect with its next request.",
      right: "see",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal, params }) => {
      await endSessionOf(tx, principal, params.id);
      return { data: {} };
    },
  );

  api.get(
    "/teams",
    {
      id: "listTeams",
      tag,
      summary: "List your teams",
      description: "Those that your session can switch to. With a token: the team of the token.",
      answer: field.many(Team),
      example: { answer: { data: [sampleTeam] } },
    },
    async ({ db, principal }) => ({
      data: (await listTeams(db, principal)).map(({ accountId: id, name, role }) => ({ id, name, role })),
    }),
  );

  api.post(
    "/sessions/switch",
    {
      id: "switchTeam",
      tag,
      summary: "Switch to another team",
      description: "From the next request on, your session acts in this team. Not with a token (409).",
      right: "see",
      body: Type.Object({ team: Type.String({ format: "uuid", description: "Its id." }) }, { title: "SwitchTeam" }),
      answer: field.nothing,
      example: { request: { team: sampleTeam.id }, answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, body }) => {
      await switchTeam(tx, principal, body.team.toLowerCase());
      return { data: {} };
    },
  );
}
