// A token that is no longer good: every server refuses it with its next request, and whoever asks for a stream learns it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { connect, type Database } from "../../database/connect.ts";
import { beginSession, endSession } from "../../rental/accounts/console-sessions.ts";
import { hashSessionSecret } from "../../secrets/session-secret.ts";
import { revalidateAccess } from "./revalidation.ts";

let world: World;
let first: RunningHttp;
/** Another server on the same database, with a pool of its own. */
let second: RunningHttp;
let secondDb: Database;
const right = "see" as const;

beforeAll(async () => {
  world = await makeWorld();
  first = await startHttp(world);
  secondDb = connect(world.config);
  second = await startHttp(world, { db: secondDb });
});
afterAll(async () => {
  await second?.close();
  await secondDb?.destroy();
  await first?.close();
  await world?.close();
});

async function operator() {
  return (await first.customer({ scopes: ["operator"] })).token;
}

/** What makes a token useless, made through the first server (an expiry: by the clock). */
const ends: Record<string, (of: { accountId: string; tokenId: string }) => Promise<unknown>> = {
  revoked: async ({ accountId, tokenId }) =>
    call("DELETE", `${first.control}/accounts/${accountId}/tokens/${tokenId}`, { token: await operator() }),
  expired: async ({ tokenId }) =>
    world.db.updateTable("tokens").set({ expires_at: new Date() }).where("id", "=", tokenId).execute(),
  "of an account that was switched off": async ({ accountId }) =>
    call("PATCH", `${first.control}/accounts/${accountId}`, { token: await operator(), body: { status: "inactive" } }),
};

describe.each(Object.entries(ends))("a token that is %s", (_name, end) => {
  it("is refused by every server with the next request, however often it was used before", async () => {
    const { token, tokenId, principal } = await first.customer();
    const statuses = async () => {
      const answers = [first, second].map((http) => call("GET", `${http.marketplace}/ssh-keys`, { token }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    for (let round = 0; round < 5; round++) expect(await statuses()).toEqual([200, 200]);
    await end({ accountId: principal.accountId, tokenId });
    const [here, there] = await statuses();
    expect(here).toBe(there);
    expect([401, 403]).toContain(here);
  });

  it("is no longer good for a stream, and others are", async () => {
    const [ended, other] = [await first.customer(), await first.customer()];
    const session = await world.tx((tx) => beginSession(tx, ended.tokenId));
    const holders = [
      { tokenId: ended.tokenId, sessionId: null, right },
      { tokenId: other.tokenId, sessionId: null, right },
      { tokenId: ended.tokenId, sessionId: session.id, right },
    ];
    expect(holders.map(await revalidateAccess(secondDb, holders))).toEqual([true, true, true]);
    await end({ accountId: ended.principal.accountId, tokenId: ended.tokenId });
    expect(holders.map(await revalidateAccess(secondDb, holders))).toEqual([false, true, false]);
  });
});

describe("a session of the console that was signed out of", () => {
  it("is no longer good for a stream, and its token is", async () => {
    const { tokenId } = await first.customer();
    const sessions = [
      await world.tx((tx) => beginSession(tx, tokenId)),
      await world.tx((tx) => beginSession(tx, tokenId)),
    ];
    const holders = [null, ...sessions.map(({ id }) => id)].map((sessionId) => ({ tokenId, sessionId, right }));
    await world.tx((tx) => endSession(tx, hashSessionSecret(sessions[0]?.secret ?? "")));
    expect(holders.map(await revalidateAccess(secondDb, holders))).toEqual([true, false, true]);
  });
});

describe("asking for no tokens at all", () => {
  it("asks nobody", async () => {
    const good = await revalidateAccess({} as Database, []); // no database is reached
    expect(good({ tokenId: "a", sessionId: null, right })).toBe(false);
  });
});
