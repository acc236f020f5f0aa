// The people of the own team, by the pages that show them or their names.

import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";

export type Member = Shape<"Member">;
export type Invitation = Shape<"Invitation">;

/** What changes with the people of a team; the session has the role of its own person. */
export const peopleSubjects = ["members", "invitations", "account", "session", "tokens"];

export const useMembers = () => useRead(["members"], (client) => client.GET("/members"));
