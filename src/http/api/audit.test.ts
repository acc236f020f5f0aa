// How a request gets into the audit log, whatever becomes of it. That all operations do is test/conformance/audit.test.ts.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { examplePublicKey, makeWorld, type World } from "../../../test/support/world.ts";
import { loadConfig } from "../../config.ts";

let world: World;
let http: RunningHttp;
const lines: string[] = [];

beforeAll(async () => {
  world = await makeWorld();
  const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
  http = await startHttp(world, {
    config: { trustedProxies: ["127.0.0.1"], limits: { ...limits, requestsPerMinutePerToken: 20 } },
    log: { write: (line) => void lines.push(line) },
  });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

interface Sent {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** Adds an SSH key in R unless told; the answer, and what the log has of the request. */
async function send({ token, body = { name: world.fresh("key") }, headers = {}, path = "/ssh-keys" }: Sent) {
  const requestId = randomUUID();
  const given = { "x-request-id": requestId, "x-forwarded-for": "203.0.113.9", ...headers };
  const answer = await http.call("POST", `${http.reference}${path}`, { token, body, headers: given });
  return { answer, entries: await entriesOf(requestId) };
}

async function entriesOf(requestId: string) {
  return world.db
    .selectFrom("audit_log")
    .select(["account_id", "token_id", "objects", "result", "status", "error_code", "operation"])
    .select(sql<string>`host(address)`.as("address"))
    .where("request_id", "=", requestId)
    .execute();
}

describe("a change that is done", () => {
  it("is told with who, from where, about what and how it went", async () => {
    const { token, tokenId, principal } = await http.customer();
    const { answer, entries } = await send({ token, body: { name: "laptop", public_key: examplePublicKey } });
    const [made] = (answer.body as { data: { id: string }[] }).data;
    expect(entries).toEqual([
      {
        account_id: principal.accountId,
        token_id: tokenId,
        objects: ["laptop", made?.id],
        result: "done",
        status: 200,
        error_code: null,
        operation: "addSshKey",
        address: "203.0.113.9",
      },
    ]);
  });

  it("is there with its entry, or neither is", async () => {
    const { token, principal } = await http.customer();
    await sql`alter table audit_log rename to audit_log_away`.execute(world.db);
    const { answer } = await sendBlindly(token);
    await sql`alter table audit_log_away rename to audit_log`.execute(world.db);
    expect(answer.status).toBe(500);
    const keys = await world.db
      .selectFrom("ssh_keys")
      .select("id")
      .where("account_id", "=", principal.accountId)
      .execute();
    expect(keys).toEqual([]);
  });

  it("is told as failed alone where its transaction comes to nothing at the last moment", async () => {
    const { token } = await http.customer();
    await sql`create function refuse_late() returns trigger language plpgsql as
      $$ begin raise exception 'not committed'; end $$`.execute(world.db);
    await sql`create constraint trigger refuse_late after insert on ssh_keys deferrable initially deferred
      for each row execute function refuse_late()`.execute(world.db);
    const { answer, entries } = await send({ token });
    await sql`drop function refuse_late cascade`.execute(world.db);
    expect(answer.status).toBe(500);
    expect(entries.map(({ result }) => result)).toEqual(["failed"]);
  });

  it("is told as replayed when its answer is given again", async () => {
    const { token } = await http.customer();
    const order = { token, body: { name: "once" }, headers: { "idempotency-key": "k" } };
    const [first, second] = [await send(order), await send(order)];
    expect(first.entries).toMatchObject([{ result: "done" }]);
    expect(second.answer.text).toBe(first.answer.text);
    expect(second.entries).toMatchObject([{ result: "replayed", objects: first.entries[0]?.objects, status: 200 }]);
  });

  it("gives away neither a generated key nor an env value nor a token", async () => {
    const { token } = await http.customer({ scopes: ["read", "write"] });
    const value = "an-env-value-nobody-may-see";
    const wrong = {
      instance_type_name: "none",
      region_name: "any",
      ssh_key_names: [],
      quantity: 1,
      env_vars: { A: value },
    };
    await http.call("POST", `${http.marketplace}/instance-operations/launch`, { token, body: wrong });
    const { answer } = await send({ token });
    const made = await http.call("POST", `${http.control}/tokens`, { token, body: { name: "t", scopes: ["read"] } });
    const { rows } = await sql<{ text: string }>`select string_agg(a::text, ' ') as text from audit_log a`.execute(
      world.db,
    );
    const text = rows[0]?.text ?? "";
    expect(answer.text).toContain("PRIVATE KEY");
    for (const secret of [value, "PRIVATE", token, (made.body as { data: { token: string } }).data.token]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("a change that is refused is told", () => {
  it.each([
    ["because of a value", { body: { name: 5 } }, 400, "global/invalid-parameters"],
    ["because it is no JSON", { body: "{" }, 400, "global/invalid-parameters"],
    ["because it is too large", { body: `"${"x".repeat(2_000_000)}"` }, 413, "global/payload-too-large"],
    ["by the rental", { body: { name: "not/allowed" } }, 400, "global/invalid-parameters"],
    ["because of its Idempotency-Key", { headers: { "idempotency-key": "" } }, 400, "global/invalid-parameters"],
  ])("%s", async (_why, sent, status, code) => {
    const { token, tokenId } = await http.customer();
    const { answer, entries } = await send({ token, ...sent });
    expect(answer.status).toBe(status);
    expect(entries).toMatchObject([{ token_id: tokenId, result: "refused", status, error_code: code }]);
  });

  it("for want of the scope", async () => {
    const { token, tokenId } = await http.customer({ scopes: ["read"] });
    const { entries } = await send({ token });
    expect(entries).toMatchObject([
      { token_id: tokenId, result: "refused", status: 403, error_code: "global/forbidden" },
    ]);
  });

  it("because its account is switched off", async () => {
    const { token, tokenId, principal } = await http.customer();
    await world.db.updateTable("accounts").set({ status: "inactive" }).where("id", "=", principal.accountId).execute();
    const { entries } = await send({ token });
    expect(entries).toMatchObject([{ token_id: tokenId, status: 403, error_code: "global/account-inactive" }]);
  });

  it.each(["revoked_at", "expires_at"] as const)("because its token is no longer good (%s)", async (column) => {
    const { token, tokenId, principal } = await http.customer();
    await world.db
      .updateTable("tokens")
      .set({ [column]: new Date() })
      .where("id", "=", tokenId)
      .execute();
    const { entries } = await send({ token });
    expect(entries).toMatchObject([
      { account_id: principal.accountId, token_id: tokenId, status: 401, error_code: "global/invalid-api-key" },
    ]);
  });

  it("because it is too much, once for all that are refused in the same minute", async () => {
    const { token, tokenId } = await http.customer();
    const sent = [];
    for (let n = 0; n < 30; n++) sent.push(await send({ token, body: { name: 5 } }));
    const refused = sent.filter(({ answer }) => answer.status === 429);
    expect(refused).toHaveLength(10);
    expect(refused.flatMap(({ entries }) => entries)).toMatchObject([
      { token_id: tokenId, result: "refused", status: 429, error_code: "global/rate-limited" },
    ]);
  });
});

describe("nothing is told", () => {
  it("of a request without a token of ours: there is nobody to tell it to", async () => {
    for (const token of [undefined, "wrong"]) expect((await send({ token: token ?? "" })).entries).toEqual([]);
  });

  it("of a path or a method that does not exist", async () => {
    const { token } = await http.customer();
    expect((await send({ token, path: "/nothing" })).entries).toEqual([]);
    expect((await send({ token, path: "/instances" })).entries).toEqual([]);
  });
});

describe("a change that fails", () => {
  it("is told as failed", async () => {
    const { token, tokenId } = await http.customer();
    await sql`alter table ssh_keys rename to ssh_keys_away`.execute(world.db);
    const { entries } = await send({ token });
    await sql`alter table ssh_keys_away rename to ssh_keys`.execute(world.db);
    expect(entries).toMatchObject([
      { token_id: tokenId, result: "failed", status: 500, error_code: "global/internal-error" },
    ]);
  });

  it("is answered also when it cannot be told, and the service's log says so", async () => {
    const { token } = await http.customer();
    await sql`alter table audit_log rename to audit_log_away`.execute(world.db);
    const { answer, requestId } = await sendBlindly(token, { name: 5 });
    await sql`alter table audit_log_away rename to audit_log`.execute(world.db);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "global/invalid-parameters" } } });
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; request_id?: string });
    expect(
      logged.filter((line) => line.msg === "cannot write to the audit log" && line.request_id === requestId),
    ).toHaveLength(1);
  });

  it("is answered in seconds also when the log is held up", async () => {
    const { token } = await http.customer();
    const held = await world.db.startTransaction().execute();
    await sql`lock table audit_log in access exclusive mode`.execute(held);
    const { answer } = await sendBlindly(token, { name: 5 });
    await held.rollback().execute();
    expect(answer.status).toBe(400);
  });
});

/** As `send`, while the log cannot be read. */
async function sendBlindly(token: string, body: unknown = { name: world.fresh("key") }) {
  const requestId = randomUUID();
  const headers = { "x-request-id": requestId };
  return { requestId, answer: await http.call("POST", `${http.reference}/ssh-keys`, { token, body, headers }) };
}
