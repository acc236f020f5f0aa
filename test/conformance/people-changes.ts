// The operations of people and invitations that change something, for changes.ts.

import type { Attempt, Change } from "./changes.ts";
import { textAt } from "./client.ts";
import type { Customer, Scene } from "./scene.ts";

/** `account`: makes one. */
export function peopleChanges(scene: Scene, account: () => Promise<string>): Record<string, Change> {
  const unknownId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
  const personOf = async (who: Customer) => (await scene.person(who, "member")).personId;
  const invitation = () => ({ email: `${scene.fresh("invited")}@example.com`, role: "admin" });
  const invitationOf = async (who: Customer) =>
    textAt(await scene.control("POST", "/invitations", invitation(), { token: who.token }), "id");
  /** On one that is made before. */
  const onOne = (path: (id: string) => string, make: (who: Customer) => Promise<string>, body?: object): Change => {
    const attempt = (id: string): Attempt => ({ path: path(id), body, about: id });
    return { good: async (who) => attempt(await make(who)), refused: async () => attempt(unknownId) };
  };
  return {
    "PATCH /members/{id}": onOne((id) => `/members/${id}`, personOf, { role: "viewer" }),
    "DELETE /members/{id}": onOne((id) => `/members/${id}`, personOf),
    "POST /invitations": {
      good: async () => ({ path: "/invitations", body: invitation() }),
      refused: async () => ({ path: "/invitations", body: { ...invitation(), role: "owner" } }),
    },
    "DELETE /invitations/{id}": onOne((id) => `/invitations/${id}`, invitationOf),
    // One that succeeds is not of the token of the request: src/http/control/people/people.test.ts.
    "POST /invitations/accept": {
      refused: async () => ({ path: "/invitations/accept", body: { secret: "lessor_invite_none", name: "Ada" } }),
    },
    "DELETE /sessions": { good: async () => ({ path: "/sessions" }) },
    "DELETE /sessions/{id}": onOne(
      (id) => `/sessions/${id}`,
      (who) => scene.session(who),
    ),
    // One that succeeds needs a session of a person who signed in: src/http/control/people/sessions.test.ts.
    "POST /sessions/switch": {
      refused: async () => ({ path: "/sessions/switch", body: { team: unknownId } }),
    },
    "POST /accounts/{id}/invitations": onOne((id) => `/accounts/${id}/invitations`, account, invitation()),
  };
}
