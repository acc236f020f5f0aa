// The people of the team that is signed in, and whom it has invited.

import type { Shape } from "../../../../src/client/client.ts";
import { ago, day, hour, idOf, inTime } from "./moments.ts";

export const members: Shape<"Member">[] = [
  member(1, "Ada Lovelace", "owner"),
  member(2, "Grace Hopper", "admin"),
  member(3, "Alan Turing", "member"),
  member(4, "Luca Pacioli", "billing"),
  member(5, "Katherine Johnson", "viewer"),
];

export const invitations: Shape<"Invitation">[] = [
  { ...invitation(1, "edsger@example.com", "member"), expires_at: inTime(6 * day) },
  { ...invitation(2, "barbara.liskov@example.com", "admin"), expires_at: inTime(9 * hour) },
];

function member(number: number, name: string, role: Shape<"TeamRole">): Shape<"Member"> {
  const email = `${name.split(" ")[0]?.toLowerCase()}@example.com`;
  return { id: idOf("person", number), name, email, role, joined_at: ago((70 - 9 * number) * day) };
}

function invitation(number: number, email: string, role: Shape<"TeamRole">) {
  return { id: idOf("invitation", number), email, role, created_at: ago(number * day) };
}
