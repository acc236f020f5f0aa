import { describe, expect, it } from "vitest";
import { recordAny } from "../../../test/support/any-events.ts";
import { worldOfFile } from "../../../test/support/world.ts";

const world = worldOfFile();

describe("recorded events", () => {
  it("are in the order given, with any data that JSON has", async () => {
    const { accountId } = await world.account();
    const data = {
      text: 'quotes " and \\ and , and {braces} and ü',
      none: null,
      list: [1, "two"],
      nested: { yes: true },
    };
    const events = Array.from({ length: 50 }, (_, index) => ({
      accountId,
      type: `test.${index}`,
      subjectId: crypto.randomUUID(),
      data: { ...data, index },
    }));
    await world.tx((tx) => recordAny(tx, events));
    const query = world.db.selectFrom("events").selectAll().where("type", "like", "test.%").orderBy("position");
    const stored = await query.execute();
    expect(
      stored.map((row) => ({ accountId: row.account_id, type: row.type, subjectId: row.subject_id, data: row.data })),
    ).toEqual(events);
  });

  it("may be none", async () => {
    await world.tx((tx) => recordAny(tx, []));
  });

  it("are gone with a transaction that is rolled back", async () => {
    const { accountId } = await world.account();
    const event = { accountId, type: "test.lost", subjectId: accountId, data: {} };
    const lost = world.tx(async (tx) => {
      await recordAny(tx, [event]);
      throw new Error("rolled back");
    });
    await expect(lost).rejects.toThrow("rolled back");
    expect(await world.db.selectFrom("events").select("id").where("type", "=", "test.lost").execute()).toEqual([]);
  });
});
