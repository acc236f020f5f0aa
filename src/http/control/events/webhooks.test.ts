// Webhooks over HTTP: what may be set, what is shown, and the secret that is shown once. What is delivered is tested in
// test/reconciler/deliveries*.test.ts.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, nextOf, startControl } from "../../../../test/support/control.ts";
import { recordEvents } from "../../../rental/events/record.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

interface Shown {
  readonly id: string;
  readonly secret?: string;
  readonly [field: string]: unknown;
}

/** A customer, and requests with its token. */
async function customer() {
  const made = await control.customer();
  const { token } = made;
  return {
    ...made,
    ask: (method: string, path: string, body?: unknown) => control.ask(method, path, { token, body }),
    data: async (method: string, path: string, body?: unknown) =>
      (await control.data(method, path, { token, body })) as Shown, // documented so, and checked by control
  };
}

const order = { url: "https://example.com/hook" };

describe("a webhook", () => {
  it("is made with defaults, shown without its secret, changed, and deleted", async () => {
    const { ask, data } = await customer();
    const made = await data("POST", "/webhooks", order);
    expect(made).toEqual({
      id: expect.any(String),
      ...order,
      description: "",
      event_types: [],
      active: true,
      disabled_reason: null,
      pending_deliveries: 0,
      failing_since: null,
      last_failure: null,
      paused_until: null,
      previous_secret_until: null,
      created_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    expect(await data("GET", `/webhooks/${made.id}`)).toEqual(shown);
    expect(await data("GET", "/webhooks")).toEqual([shown]);
    const change = { description: "Billing", event_types: ["instance.*", "instance.*"], active: false };
    const changed = { ...shown, ...change, event_types: ["instance.*"] };
    expect(await data("PATCH", `/webhooks/${made.id}`, change)).toEqual(changed);
    expect(await data("PATCH", `/webhooks/${made.id}`, {})).toEqual(changed);
    expect(await data("DELETE", `/webhooks/${made.id}`)).toEqual({});
    expect((await ask("GET", `/webhooks/${made.id}`)).status).toBe(404);
    expect(await data("GET", "/webhooks")).toEqual([]);
  });

  it("tells what happens to it in events, without its URL or secret", async () => {
    const { ask, data } = await customer();
    const { id } = await data("POST", "/webhooks", { ...order, description: "Billing" });
    await data("PATCH", `/webhooks/${id}`, { active: false });
    await data("PATCH", `/webhooks/${id}`, { active: false });
    await data("POST", `/webhooks/${id}/rotate-secret`);
    await data("DELETE", `/webhooks/${id}`);
    const events = async () => {
      const { body } = await ask("GET", "/events?types=webhook.*");
      return (body as { data: { type: string; data: object }[] }).data;
    };
    await expect.poll(async () => (await events()).length).toBe(4);
    const told = await events();
    expect(told.map(({ type }) => type.split(".")[1])).toEqual(["created", "changed", "secret_rotated", "deleted"]);
    expect(told[0]?.data).toEqual({ webhook_id: id, description: "Billing", active: true });
    expect(JSON.stringify(told)).not.toMatch(/example\.com|whsec_/);
  });

  it.each([
    [{}, "url"],
    [{ url: "http://example.com/" }, "url"],
    [{ url: "https://127.0.0.1/" }, "url"],
    [{ url: "https://2130706433/" }, "url"],
    [{ url: "https://[::1]/" }, "url"],
    [{ url: "https://user:hunter2@example.com/" }, "url"],
    [{ url: "nonsense" }, "url"],
    [{ url: 5 }, "url"],
    [{ ...order, event_types: ["Not A Type"] }, "event_types"],
    [{ ...order, event_types: ["instance.*", "instnace.*"] }, "event_types"],
    [{ ...order, event_types: Array(51).fill("*") }, "event_types"],
    [{ ...order, event_types: "instance.*" }, "event_types"],
    [{ ...order, description: "x".repeat(501) }, "description"],
    [{ ...order, active: "yes" }, "active"],
  ])("is refused with %j", async (body, field) => {
    const { ask, data } = await customer();
    const answer = await ask("POST", "/webhooks", body);
    expect(await data("GET", "/webhooks")).toEqual([]);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect(answer.text).not.toContain("hunter2");
  });

  it("that wants what never happens is refused with what was meant", async () => {
    const { ask } = await customer();
    const answer = await ask("POST", "/webhooks", { ...order, event_types: ["instance.active", "instnace.*"] });
    expect(answer.text).toContain('No event type matches \\"instnace.*\\". Did you mean instance.*');
  });

  it("that wants what never happens, and was made before that was refused, stays as it is", async () => {
    const { principal, data } = await customer();
    const { id } = await data("POST", "/webhooks", order);
    const { db } = control.world;
    await db
      .updateTable("webhooks")
      .set({ event_types: ["gone.*"] })
      .where("account_id", "=", principal.accountId)
      .execute();
    expect(await data("PATCH", `/webhooks/${id}`, { active: false })).toMatchObject({ event_types: ["gone.*"] });
  });

  it("cannot be changed to what could not be made", async () => {
    const { ask, data } = await customer();
    const { id } = await data("POST", "/webhooks", order);
    for (const body of [{ url: "https://10.0.0.1/" }, { event_types: ["*a*b*c*"] }]) {
      const answer = await ask("PATCH", `/webhooks/${id}`, body);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, Object.keys(body)]);
    }
    expect(await data("GET", `/webhooks/${id}`)).toMatchObject(order);
  });

  it("is one of twenty at most, also when many are made at once", async () => {
    const { ask, data } = await customer();
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask("POST", "/webhooks", order)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) expect([answer.status, codeOf(answer)]).toEqual([403, "global/quota-exceeded"]);
    const [first] = (await data("GET", "/webhooks")) as unknown as Shown[];
    await data("DELETE", `/webhooks/${first?.id}`);
    await data("POST", "/webhooks", order);
  });

  it("of another account is none", async () => {
    const [mine, yours] = [await customer(), await customer()];
    const { id } = await mine.data("POST", "/webhooks", order);
    const { id: delivery } = await mine.data("POST", `/webhooks/${id}/test`);
    for (const [method, path] of [
      ["GET", `/webhooks/${id}`],
      ["PATCH", `/webhooks/${id}`],
      ["DELETE", `/webhooks/${id}`],
      ["POST", `/webhooks/${id}/rotate-secret`],
      ["POST", `/webhooks/${id}/test`],
      ["GET", `/webhooks/${id}/deliveries`],
      ["GET", `/webhooks/${id}/deliveries/${delivery}`],
      ["POST", `/webhooks/${id}/deliveries/${delivery}/resend`],
    ] as const) {
      const body = method === "PATCH" ? { active: false } : undefined;
      expect((await yours.ask(method, path, body)).status, `${method} ${path}`).toBe(404);
    }
    expect(await yours.data("GET", "/webhooks")).toEqual([]);
  });
});

describe("a secret", () => {
  it("is another one after a rotation, and the one before signs for a day, or as long as is asked for", async () => {
    const { ask, data } = await customer();
    const { id, secret } = await data("POST", "/webhooks", order);
    const rotated = await data("POST", `/webhooks/${id}/rotate-secret`);
    expect(rotated.secret).not.toBe(secret);
    const left = (shown: Shown) => (Date.parse(String(shown.previous_secret_until)) - Date.now()) / 3_600_000;
    expect(left(rotated)).toBeCloseTo(24, 0);
    const other = await data("POST", "/webhooks", order);
    const long = await data("POST", `/webhooks/${other.id}/rotate-secret`, { overlap_seconds: 7 * 86_400 });
    expect(left(long)).toBeCloseTo(168, 0);
    for (const seconds of [-1, 7 * 86_400 + 1, 1.5, "1"]) {
      expect((await ask("POST", `/webhooks/${id}/rotate-secret`, { overlap_seconds: seconds })).status).toBe(400);
    }
  });

  it("is not changed again while the one before signs too, unless all former ones are to end at once", async () => {
    const { ask, data } = await customer();
    const { id } = await data("POST", "/webhooks", order);
    const rotated = await data("POST", `/webhooks/${id}/rotate-secret`);
    const until = String(rotated.previous_secret_until);
    for (const body of [undefined, { overlap_seconds: 1 }]) {
      const refused = await ask("POST", `/webhooks/${id}/rotate-secret`, body);
      expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
      expect(refused.text).toContain(until);
      expect(refused.text).toContain("overlap_seconds 0");
    }
    expect(await data("GET", `/webhooks/${id}`)).toMatchObject({ previous_secret_until: until });
    const now = await data("POST", `/webhooks/${id}/rotate-secret`, { overlap_seconds: 0 });
    expect(now.previous_secret_until).toBeNull();
    expect(now.secret).not.toBe(rotated.secret);
    await data("POST", `/webhooks/${id}/rotate-secret`);
  });

  it("is the same in the answer to a repeated request, and in no other", async () => {
    const { token } = await customer();
    const headers = { "idempotency-key": randomUUID() };
    const [first, again] = [
      await control.ask("POST", "/webhooks", { token, body: order, headers }),
      await control.ask("POST", "/webhooks", { token, body: order, headers }),
    ];
    expect(again.text).toBe(first.text);
    expect(first.text).toContain("whsec_");
    const { id } = (first.body as { data: Shown }).data;
    for (const path of ["/webhooks", `/webhooks/${id}`, "/events", `/webhooks/${id}/deliveries`]) {
      expect((await control.ask("GET", path, { token })).text).not.toContain("whsec_");
    }
  });
});

describe("deliveries", () => {
  it("are listed newest first, by status, page by page, and shown in full", async () => {
    const { data, ask, token } = await customer();
    const { id } = await data("POST", "/webhooks", order);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(idOf(await data("POST", `/webhooks/${id}/test`)));
    const pages = await control.pages(`/webhooks/${id}/deliveries`, 2, { token });
    expect(pages.map((page) => page.map(idOf))).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(await data("GET", `/webhooks/${id}/deliveries?status=delivered`)).toEqual([]);
    expect(await data("GET", `/webhooks/${id}/deliveries?status=pending`)).toHaveLength(5);
    expect((await ask("GET", `/webhooks/${id}/deliveries?status=lost`)).status).toBe(400);
    expect(await data("GET", `/webhooks/${id}`)).toMatchObject({ pending_deliveries: 5 });
    const full = await data("GET", `/webhooks/${id}/deliveries/${ids[0]}`);
    expect(full).toMatchObject({
      event_type: "webhook.test",
      status: "pending",
      asked_for: true,
      attempts: 0,
      log: [],
    });
    expect(JSON.parse(String(full.body))).toMatchObject({ id: full.event_id, type: "webhook.test" });
    expect((await ask("GET", `/webhooks/${id}/deliveries/${randomUUID()}`)).status).toBe(404);
    expect((await ask("POST", `/webhooks/${id}/deliveries/${randomUUID()}/resend`)).status).toBe(404);
    expect(await data("POST", `/webhooks/${id}/deliveries/${ids[0]}/resend`)).toMatchObject({ status: "pending" });
  });

  it("come a hundred at a time unless told", async () => {
    const { data, ask } = await customer();
    const { id } = await data("POST", "/webhooks", order);
    await Promise.all(Array.from({ length: 100 }, () => data("POST", `/webhooks/${id}/test`)));
    await control.world.db
      .updateTable("webhook_deliveries")
      .set({ asked: false })
      .where("webhook_id", "=", id)
      .execute();
    await data("POST", `/webhooks/${id}/test`);
    const first = await ask("GET", `/webhooks/${id}/deliveries`);
    expect((first.body as { data: unknown[] }).data).toHaveLength(100);
    const rest = await ask("GET", nextOf(first) ?? "");
    expect((rest.body as { data: unknown[] }).data).toHaveLength(1);
  });

  it("may be asked for a hundred times until some are over", async () => {
    const { ask, data } = await customer();
    const { id } = await data("POST", "/webhooks", { ...order, active: false });
    const asks = Array.from({ length: 110 }, () => ask("POST", `/webhooks/${id}/test`));
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    const refused = await ask("POST", `/webhooks/${id}/test`);
    expect(codeOf(refused)).toBe("global/quota-exceeded");
    expect(refused.text).toContain("tests and resends under way");
    expect(await data("GET", `/webhooks/${id}`)).toMatchObject({ pending_deliveries: 100 });
    const [one, other] = (await data("GET", `/webhooks/${id}/deliveries`)) as unknown as Shown[];
    const { db } = control.world;
    const over = { status: "delivered", finished_at: new Date(), next_attempt_at: null } as const;
    await db
      .updateTable("webhook_deliveries")
      .set(over)
      .where("id", "=", one?.id ?? "")
      .execute();
    expect(await data("POST", `/webhooks/${id}/deliveries/${one?.id}/resend`)).toMatchObject({ status: "pending" });
    await db
      .updateTable("webhook_deliveries")
      .set(over)
      .where("id", "=", one?.id ?? "")
      .execute();
    await data("POST", `/webhooks/${id}/test`);
    expect(codeOf(await ask("POST", `/webhooks/${id}/deliveries/${one?.id}/resend`))).toBe("global/quota-exceeded");
    // One that is not over is no new one.
    expect(await data("POST", `/webhooks/${id}/deliveries/${other?.id}/resend`)).toMatchObject({ status: "pending" });
  });
});

describe("what an account has", () => {
  it("tells in events when a token is made and revoked, once each", async () => {
    const { data, ask, principal } = await customer();
    const { id } = await data("POST", "/tokens", { name: "ci", scopes: ["read"] });
    for (let n = 0; n < 2; n++) await data("DELETE", `/tokens/${id}`);
    await control.world.tx((tx) =>
      recordEvents(tx, [{ accountId: principal.accountId, type: "instance.progress", subjectId: id, data: {} }]),
    );
    const events = async () => {
      const { body } = await ask("GET", `/events?instance_id=${id}`);
      return (body as { data: { type: string; data: object }[] }).data;
    };
    await expect.poll(async () => (await events()).at(-1)?.type).toBe("instance.progress");
    expect((await events()).map(({ type }) => type)).toEqual(["token.created", "token.revoked", "instance.progress"]);
    expect((await events())[0]?.data).toEqual({ token_id: id, name: "ci", scopes: ["read"] });
  });
});
