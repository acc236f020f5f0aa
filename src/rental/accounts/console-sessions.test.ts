// Sessions of the console: opened with a token, worth no more than it, and over after a while whatever is done.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import { changeAccount } from "./account-store.ts";
import {
  authenticateSessions,
  beginSession,
  deleteOldSessions,
  endSession,
  openSessions,
  recordSessionUse,
  sessionHours,
  sessionIdleHours,
  sessionsOfToken,
} from "./console-sessions.ts";
import { createToken, presetToken, revokeToken } from "./token-store.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

const token = (expiresAt: Date | null = null) =>
  world.tx((tx) => createToken(tx, { accountId, name: "browser", scopes: ["read", "operator"], expiresAt }));
const begin = (tokenId: string) => world.tx((tx) => beginSession(tx, tokenId));
const end = (secret: string) => world.tx((tx) => endSession(tx, hashSessionSecret(secret)));
const use = (id: string) => recordSessionUse(world.db, [id]);
/** What the secret turns out to be. */
const present = async (secret: string) => {
  const hash = hashSessionSecret(secret);
  return (await authenticateSessions(world.db, [hash])).get(hash.toString("hex"));
};
const isOpen = async (id: string) => (await openSessions(world.db, [id])).has(id);

describe("a session", () => {
  it("is recognized by its secret, as its token, and has an end", async () => {
    const { id: tokenId } = await token();
    const session = await begin(tokenId);
    expect(await present(session.secret)).toEqual({
      principal: { accountId, tokenId, scopes: new Set(["read", "operator"]), sessionId: session.id },
      accountStatus: "active",
      expired: false,
      revoked: false,
      suspended: false,
      compatibilityVersion: null,
      moment: expect.objectContaining({ account: 0 }),
      sessionId: session.id,
      sessionExpiresAt: session.expiresAt,
      sessionOver: false,
    });
    const hours = (session.expiresAt.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(sessionHours - 0.1);
    expect(hours).toBeLessThan(sessionHours + 0.1);
    expect(await present("x")).toBeUndefined();
  });

  it("is stored without its secret", async () => {
    const { secret } = await begin((await token()).id);
    const { rows } = await sql<{ row: string }>`select s::text as row from console_sessions s`.execute(world.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(secret);
    expect(rows[0]?.row).not.toContain(Buffer.from(secret).toString("hex"));
  });

  it("ends with its token, whose expiry is its own", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { id } = await token(expiresAt);
    const session = await begin(id);
    expect(session.expiresAt).toEqual(expiresAt);
    await travel(world.db, "61 minutes");
    expect(await present(session.secret)).toMatchObject({ expired: true, sessionOver: true });
  });

  it("says when its token is revoked, or the account switched off", async () => {
    const { id } = await token();
    const { secret } = await begin(id);
    await world.tx((tx) => changeAccount(tx, accountId, { status: "inactive" }));
    expect(await present(secret)).toMatchObject({ accountStatus: "inactive", revoked: false });
    await world.tx((tx) => revokeToken(tx, accountId, id));
    expect(await present(secret)).toMatchObject({ revoked: true });
  });

  it("does not come back when an operator's setting makes a revoked token valid again", async () => {
    const order = { accountId, name: "operator", scopes: ["operator"] as const, expiresAt: null };
    const preset = () => world.tx((tx) => presetToken(tx, order, "a-token-of-the-operators-own-choice-0001"));
    await preset();
    const { id } = await world.db.selectFrom("tokens").select("id").executeTakeFirstOrThrow();
    const { secret } = await begin(id);
    await preset();
    expect(await present(secret)).toMatchObject({ sessionOver: false });
    await world.tx((tx) => revokeToken(tx, accountId, id));
    await preset();
    expect(await present(secret)).toMatchObject({ revoked: false, sessionOver: true });
  });

  it("is over when it was not used for some hours, and goes on when it was", async () => {
    const { id: tokenId } = await token();
    const [used, idle] = [await begin(tokenId), await begin(tokenId)];
    for (let round = 0; round < 3; round++) {
      await travel(world.db, `${sessionIdleHours * 60 - 1} minutes`);
      await use(used.id);
    }
    expect(await present(used.secret)).toMatchObject({ sessionOver: false });
    expect(await present(idle.secret)).toMatchObject({ sessionOver: true });
    expect([await isOpen(used.id), await isOpen(idle.id)]).toEqual([true, false]);
  });

  it("is over after half a day, however much it is used", async () => {
    const session = await begin((await token()).id);
    for (let hour = 0; hour < sessionHours; hour++) {
      expect(await isOpen(session.id)).toBe(true);
      await travel(world.db, "1 hour");
      await use(session.id);
    }
    expect(await isOpen(session.id)).toBe(false);
  });

  it("is over when it was ended, which happens once and says whose it was", async () => {
    const { id: tokenId } = await token();
    const [ended, other] = [await begin(tokenId), await begin(tokenId)];
    expect(await end(ended.secret)).toEqual({ id: ended.id, accountId, tokenId, provider: null });
    expect(await end(ended.secret)).toBeUndefined();
    expect(await end("unknown")).toBeUndefined();
    expect([await isOpen(ended.id), await isOpen(other.id)]).toEqual([false, true]);
  });
});

describe("sessions of one token", () => {
  it("are so many and no more: the one that was used longest ago makes room", async () => {
    const { id } = await token();
    const stranger = await begin((await token()).id);
    const first = await begin(id);
    const second = await begin(id);
    await travel(world.db, "1 minute");
    await use(first.id);
    for (let more = 2; more < sessionsOfToken; more++) await begin(id);
    expect([await isOpen(first.id), await isOpen(second.id)]).toEqual([true, true]);
    await begin(id);
    expect([await isOpen(first.id), await isOpen(second.id), await isOpen(stranger.id)]).toEqual([true, false, true]);
  });
});

describe("old sessions", () => {
  it("are deleted once they are over, or their token is, in batches, and others stay", async () => {
    const [kept, revoked] = [await token(), await token()];
    const idle = await begin(kept.id);
    await travel(world.db, `${sessionIdleHours} hours`);
    const open = await begin(kept.id);
    const ended = await begin(kept.id);
    await end(ended.secret);
    await begin(revoked.id);
    await world.tx((tx) => revokeToken(tx, accountId, revoked.id));
    expect(await isOpen(idle.id)).toBe(false);
    expect(await deleteOldSessions(world.db, 1)).toBe(3);
    const rows = await world.db.selectFrom("console_sessions").select("id").execute();
    expect(rows).toEqual([{ id: open.id }]);
    expect(await deleteOldSessions(world.db)).toBe(0);
  });
});
