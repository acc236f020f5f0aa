// What people and tokens cannot get around with invitations, roles and removals.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallResult, call, type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { personIn } from "../../../../test/support/people.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import type { TeamRole } from "../../../rules/roles.ts";

let world: World;
let http: RunningHttp;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const ask = (token: string | undefined, method: string, path: string, body?: unknown) =>
  call(method, `${http.control}${path}`, { token, body });
const data = ({ status, text, body }: CallResult) => {
  expect(status, text).toBe(200);
  return (body as { data: never }).data; // each test knows what it asked for
};
const codeOf = ({ body }: CallResult) => (body as { error: { code: string } }).error.code;
const team = async () => (await world.account()).accountId;
const person = (accountId: string, role: TeamRole) => personIn(world, accountId, role);
const accept = (secret: string) => ask(undefined, "POST", "/invitations/accept", { secret, name: "Eve" });

async function invited(by: { readonly token: string }, role: TeamRole) {
  const email = `${world.fresh("person")}@example.com`;
  return data(await ask(by.token, "POST", "/invitations", { email, role })) as {
    id: string;
    email: string;
    secret: string;
  };
}

describe("an invitation", () => {
  it("to become an owner is neither revoked nor replaced by who is none", async () => {
    const accountId = await team();
    const [owner, admin] = [await person(accountId, "owner"), await person(accountId, "admin")];
    const order = { name: "team", scopes: ["read", "write"], person_id: null };
    const ofTeam: { token: string } = data(await ask(admin.token, "POST", "/tokens", order));
    const { id, email, secret } = await invited(owner, "owner");
    const lower = { email: email.toUpperCase(), role: "viewer" };
    for (const answer of [
      await ask(admin.token, "DELETE", `/invitations/${id}`),
      await ask(admin.token, "POST", "/invitations", lower),
      await ask(ofTeam.token, "POST", "/invitations", lower),
    ]) {
      expect([answer.status, codeOf(answer)]).toEqual([403, "global/forbidden"]);
    }
    expect(data(await accept(secret))).toMatchObject({ member: { role: "owner" } });
  });

  it("ends with the right of the person who invited, who does not come back with it", async () => {
    const accountId = await team();
    const [owner, second] = [await person(accountId, "owner"), await person(accountId, "owner")];
    const [asOwner, asAdmin, asViewer] = [
      await invited(second, "owner"),
      await invited(second, "admin"),
      await invited(second, "viewer"),
    ];
    data(await ask(owner.token, "PATCH", `/members/${second.id}`, { role: "admin" }));
    expect((await accept(asOwner.secret)).status).toBe(400);
    expect((await accept(asViewer.secret)).status).toBe(200);
    data(await ask(owner.token, "DELETE", `/members/${second.id}`));
    expect((await accept(asAdmin.secret)).status).toBe(400);
    expect(data(await ask(owner.token, "GET", "/invitations"))).toEqual([]);
  });
});

describe("a person", () => {
  it("is not removed, nor given a role, by a token with a spend limit if that revokes one without", async () => {
    const accountId = await team();
    await person(accountId, "owner");
    const admin = await person(accountId, "admin");
    const member = await person(accountId, "member");
    const order = { name: "limited", scopes: ["read", "write"], spend_limit_cents: 100 };
    const limited: { token: string } = data(await ask(admin.token, "POST", "/tokens", order));
    for (const answer of [
      await ask(limited.token, "DELETE", `/members/${member.id}`),
      await ask(limited.token, "DELETE", `/members/${admin.id}`),
      await ask(limited.token, "PATCH", `/members/${member.id}`, { role: "admin" }),
      await ask(limited.token, "PATCH", `/members/${admin.id}`, { role: "viewer" }),
    ]) {
      expect([answer.status, codeOf(answer)]).toEqual([409, "global/conflict"]);
    }
    expect((await ask(member.token, "GET", "/members")).status).toBe(200);
    // Who has no token without a limit can still leave.
    data(await ask(admin.token, "DELETE", `/tokens/${admin.tokenId}`));
    data(await ask(limited.token, "DELETE", `/members/${admin.id}`));
  });
});
