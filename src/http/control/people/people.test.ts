// People of teams: invitations, roles, leaving, and what each change does to the next request. Two servers on one database.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallResult, call, type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { begin, untilWaiting } from "../../../../test/support/interleave.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { connect, type Database } from "../../../database/connect.ts";
import { eventsAfter } from "../../../rental/events/event-store.ts";
import type { TeamRole } from "../../../rules/roles.ts";

let world: World;
let http: RunningHttp;
/** Another server on the same database. */
let other: RunningHttp;
let otherDb: Database;
let operator: string;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  otherDb = connect(world.config);
  other = await startHttp(world, { db: otherDb });
  operator = (await http.customer({ scopes: ["read", "write", "operator"] })).token;
});
afterAll(async () => {
  await other?.close();
  await otherDb?.destroy();
  await http?.close();
  await world?.close();
});

interface Person {
  readonly id: string;
  readonly token: string;
  readonly accountId: string;
}

let count = 0;
const ask = (token: string | undefined, method: string, path: string, body?: unknown, server = http) =>
  call(method, `${server.control}${path}`, { token, body });
const data = ({ status, text, body }: CallResult) => {
  expect(status, text).toBe(200);
  return (body as { data: never }).data; // each test knows what it asked for
};
const codeOf = ({ body }: CallResult) => (body as { error: { code: string } }).error.code;

async function team(): Promise<string> {
  return (await world.account()).accountId;
}

async function secretFor(accountId: string, role: TeamRole): Promise<string> {
  count += 1;
  const body = { email: `person-${count}@example.com`, role };
  const made: { secret: string } = data(await ask(operator, "POST", `/accounts/${accountId}/invitations`, body));
  return made.secret;
}

async function person(accountId: string, role: TeamRole): Promise<Person> {
  const secret = await secretFor(accountId, role);
  return joined(await ask(undefined, "POST", "/invitations/accept", { secret, name: `Person ${count}` }));
}

function joined(answer: CallResult): Person {
  const made: { account: { id: string }; member: { id: string }; token: { token: string } } = data(answer);
  return { id: made.member.id, token: made.token.token, accountId: made.account.id };
}

async function eventsOf(accountId: string, type: string) {
  await expect
    .poll(async () => (await eventsAfter(world.db, accountId, undefined, 1000)).map((one) => one.type))
    .toContain(type);
  return (await eventsAfter(world.db, accountId, undefined, 1000)).filter((one) => one.type === type);
}

describe("an invitation", () => {
  it("makes a new person of the team, with a token of that team, and who it is", async () => {
    const accountId = await team();
    const ada = await person(accountId, "owner");
    const own: { person: object; token: object } = data(await ask(ada.token, "GET", "/account"));
    expect(own.person).toMatchObject({ id: ada.id, name: `Person ${count}`, role: "owner" });
    expect(own.token).toMatchObject({ scopes: ["read", "write"], operator_role: null });
    expect(data(await ask(ada.token, "GET", "/members"))).toEqual([own.person]);
    expect(data(await ask(ada.token, "GET", "/tokens"))).toMatchObject([{ name: "personal", person_id: ada.id }]);
    const [event] = await eventsOf(accountId, "member.joined");
    expect(event?.data).toMatchObject({ person_id: ada.id, role: "owner" });
    expect((await eventsOf(accountId, "member.invited"))[0]?.data).toMatchObject({ role: "owner", by: "operator" });
  });

  it("is accepted once, also by two at once", async () => {
    const accountId = await team();
    const secret = await secretFor(accountId, "admin");
    const accept = (server: RunningHttp, name: string) =>
      ask(undefined, "POST", "/invitations/accept", { secret, name }, server);
    const answers = await Promise.all([accept(http, "One"), accept(other, "Two"), accept(http, "Three")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const { token } = joined(answers.find(({ status }) => status === 200) ?? expect.fail());
    expect(data(await ask(token, "GET", "/members"))).toHaveLength(1);
  });

  it("is not accepted after it was revoked, replaced or has expired", async () => {
    const ada = await person(await team(), "owner");
    const invited = async () =>
      data(await ask(ada.token, "POST", "/invitations", { email: "Eve@example.com", role: "viewer" })) as {
        id: string;
        secret: string;
      };
    const replaced = await invited();
    const revoked = await invited();
    expect(data(await ask(ada.token, "GET", "/invitations"))).toMatchObject([{ id: revoked.id }]);
    data(await ask(ada.token, "DELETE", `/invitations/${revoked.id}`));
    const expired = await invited();
    await travel(world.db, "7 days 1 second");
    expect(data(await ask(ada.token, "GET", "/invitations"))).toEqual([]);
    for (const { secret } of [replaced, revoked, expired]) {
      const answer = await ask(undefined, "POST", "/invitations/accept", { secret, name: "Eve" });
      expect([answer.status, codeOf(answer)]).toEqual([400, "global/invalid-parameters"]);
    }
  });

  it("has its secret in the response that creates it, and nowhere else", async () => {
    const accountId = await team();
    const secret = await secretFor(accountId, "viewer");
    const listed = await ask((await person(accountId, "owner")).token, "GET", "/invitations");
    expect(listed.text).not.toContain(secret);
    expect(JSON.stringify(await eventsOf(accountId, "member.invited"))).not.toContain(secret);
    const stored = await world.db.selectFrom("invitations").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("is refused for the address of a person in the team", async () => {
    const ada = await person(await team(), "owner");
    const body = { email: `PERSON-${count}@example.com`, role: "admin" };
    const answer = await ask(ada.token, "POST", "/invitations", body);
    expect([answer.status, codeOf(answer)]).toEqual([409, "global/duplicate"]);
  });

  it("gives no longer token than the one that invited, and none by one with a spend limit", async () => {
    const {
      principal: { accountId },
    } = await http.customer();
    const order = { name: "short", scopes: ["read", "write"], expires_at: "2098-01-01T00:00:00.000Z" };
    const short: { token: string } = data(await ask(operator, "POST", `/accounts/${accountId}/tokens`, order));
    const invitation = { email: "short@example.com", role: "admin" };
    const made: { secret: string } = data(await ask(short.token, "POST", "/invitations", invitation));
    const { token } = joined(await ask(undefined, "POST", "/invitations/accept", { secret: made.secret, name: "Ada" }));
    expect(data(await ask(token, "GET", "/tokens"))).toContainEqual(
      expect.objectContaining({ name: "personal", expires_at: order.expires_at }),
    );
    const limited = { name: "limited", scopes: ["read", "write"], spend_limit_cents: 100 };
    const poor: { token: string } = data(await ask(operator, "POST", `/accounts/${accountId}/tokens`, limited));
    const refused = await ask(poor.token, "POST", "/invitations", { ...invitation, email: "more@example.com" });
    expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
  });

  it("cannot be tried out: an address that sent many wrong secrets is refused", async () => {
    const limits = { ...http.config.limits, failedAuthenticationsPerMinutePerAddress: 3 };
    const strict = await startHttp(world, { config: { limits } });
    try {
      const attempt = () =>
        ask(undefined, "POST", "/invitations/accept", { secret: "lessor_invite_no", name: "Eve" }, strict);
      const statuses = [];
      for (let n = 0; n < 4; n++) statuses.push((await attempt()).status);
      expect(statuses).toEqual([400, 400, 400, 429]);
      const long = await ask(undefined, "POST", "/invitations/accept", { secret: "x".repeat(4000) });
      expect(long.status).toBe(413);
    } finally {
      await strict.close();
    }
  });
});

describe("a role", () => {
  it("can be changed by owners and admins, owners' by owners only, and counts from the next request on", async () => {
    const accountId = await team();
    const [owner, admin, member] = [
      await person(accountId, "owner"),
      await person(accountId, "admin"),
      await person(accountId, "member"),
    ];
    const change = (by: Person, of: Person, role: TeamRole) => ask(by.token, "PATCH", `/members/${of.id}`, { role });
    for (const [by, of, role] of [
      [member, member, "admin"],
      [admin, owner, "viewer"],
      [admin, member, "owner"],
      [admin, admin, "owner"],
    ] as const) {
      const answer = await change(by, of, role);
      expect([answer.status, codeOf(answer)]).toEqual([403, "global/forbidden"]);
    }
    const key = { name: "key", kind: "x" };
    expect((await ask(member.token, "POST", "/file-systems", key, other)).status).toBe(400);
    expect(data(await change(admin, member, "viewer"))).toMatchObject({ id: member.id, role: "viewer" });
    expect((await ask(member.token, "POST", "/file-systems", key, other)).status).toBe(403);
    expect((await ask(member.token, "GET", "/file-systems", undefined, other)).status).toBe(200);
    const [event] = await eventsOf(accountId, "member.changed");
    expect(event?.data).toMatchObject({ person_id: member.id, role: "viewer", by_person_id: admin.id });
  });

  it("that was lowered while the request of its person waits does not let it through", async () => {
    const accountId = await team();
    const [owner, admin] = [await person(accountId, "owner"), await person(accountId, "admin")];
    await using holding = await begin(world.db);
    await holding.tx.selectFrom("accounts").select("id").where("id", "=", accountId).forUpdate().execute();
    await holding.tx.updateTable("memberships").set({ role: "viewer" }).where("person_id", "=", admin.id).execute();
    // The gate lets all of them in: the change is not committed.
    const waiting = [
      ask(admin.token, "POST", "/invitations", { email: "friend@example.com", role: "admin" }),
      ask(admin.token, "POST", "/tokens", { name: "team", scopes: ["read", "write"], person_id: null }),
      ask(admin.token, "PATCH", `/members/${owner.id}`, { role: "viewer" }),
    ];
    await untilWaiting(world.db, 3);
    await holding.commit();
    for (const answer of await Promise.all(waiting))
      expect([answer.status, codeOf(answer)]).toEqual([403, "global/forbidden"]);
  });
});

describe("an owner", () => {
  it("can neither leave nor be lowered as the last one", async () => {
    const accountId = await team();
    const owner = await person(accountId, "owner");
    await person(accountId, "admin");
    for (const answer of [
      await ask(owner.token, "DELETE", `/members/${owner.id}`),
      await ask(owner.token, "PATCH", `/members/${owner.id}`, { role: "admin" }),
    ]) {
      expect([answer.status, codeOf(answer)]).toEqual([409, "global/conflict"]);
    }
  });

  it("stays when two leave at once", async () => {
    for (let round = 0; round < 3; round++) {
      const accountId = await team();
      const owners = [await person(accountId, "owner"), await person(accountId, "owner")];
      const leave = (one: Person, server: RunningHttp) =>
        ask(one.token, "DELETE", `/members/${one.id}`, undefined, server);
      const answers = await Promise.all(owners.map((one, index) => leave(one, index === 0 ? http : other)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }
  });
});

describe("who leaves or is removed", () => {
  it("is refused with the next request on every server, and does not come back with old tokens", async () => {
    const accountId = await team();
    const [owner, member] = [await person(accountId, "owner"), await person(accountId, "member")];
    const second: { token: string } = data(
      await ask(member.token, "POST", "/tokens", { name: "ci", scopes: ["read"] }),
    );
    for (const server of [http, other])
      expect((await ask(member.token, "GET", "/members", undefined, server)).status).toBe(200);
    data(await ask(owner.token, "DELETE", `/members/${member.id}`));
    for (const server of [http, other]) {
      for (const token of [member.token, second.token])
        expect((await ask(token, "GET", "/members", undefined, server)).status).toBe(401);
    }
    expect(data(await ask(owner.token, "GET", "/members"))).toMatchObject([{ id: owner.id }]);
    const [event] = await eventsOf(accountId, "member.removed");
    expect(event?.data).toMatchObject({ person_id: member.id, by_person_id: owner.id });
  });

  it("leaves without any right", async () => {
    const accountId = await team();
    const [viewer, other_] = [await person(accountId, "viewer"), await person(accountId, "viewer")];
    expect((await ask(viewer.token, "DELETE", `/members/${other_.id}`)).status).toBe(403);
    data(await ask(viewer.token, "DELETE", `/members/${viewer.id}`));
    expect((await ask(viewer.token, "GET", "/members")).status).toBe(401);
  });
});

describe("a person in two teams", () => {
  it("is one person in both, and sees neither in the other", async () => {
    const [one, two] = [await team(), await team()];
    const ada = await person(one, "owner");
    const eve = await person(two, "owner");
    const secret = await secretFor(two, "admin");
    const adaInTwo = joined(await ask(ada.token, "POST", "/invitations/accept", { secret }));
    expect([adaInTwo.id, adaInTwo.accountId]).toEqual([ada.id, two]);
    const ids = (answer: CallResult) => (data(answer) as { id: string }[]).map(({ id }) => id).toSorted();
    expect(ids(await ask(ada.token, "GET", "/members"))).toEqual([ada.id]);
    expect(ids(await ask(adaInTwo.token, "GET", "/members"))).toEqual([ada.id, eve.id].toSorted());
    // Rights of the one team are none in the other.
    for (const [token, method, path, body] of [
      [ada.token, "PATCH", `/members/${eve.id}`, { role: "viewer" }],
      [ada.token, "DELETE", `/members/${eve.id}`, undefined],
    ] as const) {
      expect((await ask(token, method, path, body)).status).toBe(404);
    }
    expect((await ask(ada.token, "GET", "/audit-log")).text).not.toContain(two);
    expect((await ask(ada.token, "GET", "/events")).text).not.toContain(eve.id);
    expect((await ask(ada.token, "GET", "/tokens")).text).not.toContain(eve.id);
    // Leaving one team leaves the other alone.
    data(await ask(eve.token, "DELETE", `/members/${ada.id}`));
    expect((await ask(adaInTwo.token, "GET", "/members")).status).toBe(401);
    expect((await ask(ada.token, "GET", "/members")).status).toBe(200);
  });

  it("joins with a token of their own only, and each team once", async () => {
    const accountId = await team();
    const ada = await person(accountId, "owner");
    const { token: ofTeam } = await http.customer();
    const again = await secretFor(accountId, "viewer");
    for (const token of [ada.token, ofTeam]) {
      const answer = await ask(token, "POST", "/invitations/accept", { secret: again });
      expect([answer.status, codeOf(answer)]).toEqual([409, "global/conflict"]);
    }
    // Nothing was used up.
    expect(joined(await ask(undefined, "POST", "/invitations/accept", { secret: again, name: "Eve" })).id).not.toBe(
      ada.id,
    );
  });
});

describe("tokens", () => {
  it("of the team need the right for them, and others are people's own", async () => {
    const accountId = await team();
    const [owner, admin, member] = [
      await person(accountId, "owner"),
      await person(accountId, "admin"),
      await person(accountId, "member"),
    ];
    const order = { name: "made", scopes: ["read", "write"] };
    const create = (by: Person, more: object = {}) => ask(by.token, "POST", "/tokens", { ...order, ...more });
    expect(data(await create(member))).toMatchObject({ person_id: member.id });
    expect((await create(member, { person_id: null })).status).toBe(403);
    expect((await create(admin, { person_id: member.id })).status).toBe(400);
    const team_: { id: string; token: string } = data(await create(admin, { person_id: null }));
    expect(data(await ask(team_.token, "GET", "/account"))).toMatchObject({ person: null });
    // A token of the team is no way to become an owner.
    expect((await ask(team_.token, "PATCH", `/members/${admin.id}`, { role: "owner" })).status).toBe(403);
    const tokens: { id: string; person_id: string | null }[] = data(await ask(admin.token, "GET", "/tokens"));
    const of = (one: Person) => tokens.find(({ person_id }) => person_id === one.id)?.id;
    const revoke = (by: Person, id: string | undefined) => ask(by.token, "DELETE", `/tokens/${id}`);
    expect((await revoke(member, team_.id)).status).toBe(403);
    expect((await revoke(admin, of(owner))).status).toBe(403);
    expect((await revoke(admin, of(member))).status).toBe(200);
    expect((await revoke(admin, of(admin))).status).toBe(200);
  });

  it("of other people do not get the response to a request that is repeated", async () => {
    const accountId = await team();
    const [owner, admin] = [await person(accountId, "owner"), await person(accountId, "admin")];
    const send = ({ token }: Person) =>
      call("POST", `${http.control}/tokens`, {
        token,
        body: { name: "team", scopes: ["read"], person_id: null },
        headers: { "idempotency-key": "same" },
      });
    const first = await send(owner);
    expect((await send(owner)).text).toBe(first.text);
    const other = await send(admin);
    expect([other.status, codeOf(other)]).toEqual([422, "idempotency/key-reused"]);
  });

  it("of operators have a role, which they give to others and cannot leave", async () => {
    const {
      principal: { accountId },
    } = await http.customer();
    const make = async (token: string, operator_role?: string) =>
      ask(token, "POST", "/tokens", { name: "made", scopes: ["read", "write", "operator"], operator_role });
    const finance: { token: string; operator_role: string } = data(await make(operator, "finance"));
    expect(finance.operator_role).toBe("finance");
    expect(data(await make(finance.token))).toMatchObject({ operator_role: "finance" });
    expect((await make(finance.token, "operator")).status).toBe(403);
    expect((await ask(finance.token, "GET", `/accounts/${accountId}`)).status).toBe(200);
    expect((await ask(finance.token, "PATCH", `/accounts/${accountId}`, { spend_limit_cents: 5 })).status).toBe(200);
    expect((await ask(finance.token, "POST", "/accounts", { name: "another" })).status).toBe(403);
    expect((await ask(finance.token, "PUT", "/regions/mars", { description: "Mars" })).status).toBe(403);
    const full: { id: string } = data(await make(operator));
    expect((await ask(finance.token, "DELETE", `/tokens/${full.id}`)).status).toBe(403);
    const { id: own }: { id: string } = data(await ask(operator, "GET", "/account"));
    const limit = await ask(finance.token, "PATCH", `/accounts/${own}/tokens/${full.id}`, { spend_limit_cents: 0 });
    expect(limit.status).toBe(403);
    const readOnly: { token: string } = data(await make(operator, "read-only"));
    expect((await ask(readOnly.token, "GET", "/hosts")).status).toBe(200);
    const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
    // With `write` it is a token of its own account; nothing of another is there for it.
    expect((await ask(readOnly.token, "POST", `/instances/${unknown}/stop`, { reason: "Why" })).status).toBe(404);
  });

  it("without the scope of operators have no such role", async () => {
    const order = { name: "made", scopes: ["read"], operator_role: "finance" };
    expect((await ask(operator, "POST", "/tokens", order)).status).toBe(400);
  });
});

describe("the audit log", () => {
  it("names the person to the team, and not another team's", async () => {
    const accountId = await team();
    const owner = await person(accountId, "owner");
    data(await ask(owner.token, "POST", "/invitations", { email: "log@example.com", role: "viewer" }));
    const entries: { operation: string; person: { id: string; name: string } | null; changed_account_id: unknown }[] =
      data(await ask(owner.token, "GET", "/audit-log"));
    const by = (operation: string) => entries.find((one) => one.operation === operation)?.person;
    expect(by("createInvitation")).toMatchObject({ id: owner.id });
    expect(by("acceptInvitation")).toMatchObject({ id: owner.id });
    expect(by("createAccountInvitation")).toBeNull();
  });
});
