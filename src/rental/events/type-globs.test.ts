import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { eventSubjects, eventTypes } from "./event-types.ts";
import { likePatterns, parseGlobs, wants } from "./type-globs.ts";

const world = worldOfFile();

const types = ["instance.active", "instance.booting", "instancexactive", "ssh_key.created", "sshxkey.created", "a"];
const cases: [globs: string[], wanted: string[]][] = [
  [[], types],
  [["*"], types],
  [["instance.*"], ["instance.active", "instance.booting"]],
  [["instance.active"], ["instance.active"]],
  [["*.created"], ["ssh_key.created", "sshxkey.created"]],
  [["ssh_key.*"], ["ssh_key.created"]],
  [
    ["instance.b*g", "a"],
    ["instance.booting", "a"],
  ],
  [["*.*i*"], ["instance.active", "instance.booting"]],
  [["instance"], []],
];

describe("globs of types", () => {
  it.each(cases)("%j want %j", (globs, wanted) => {
    expect(types.filter(wants(globs))).toEqual(wanted);
  });

  it.each(cases)("%j mean the same to the database", async (globs, wanted) => {
    const patterns = likePatterns(globs) ?? null;
    const { rows } = await sql<{ wanted: string[] }>`
      select coalesce(array_agg(type), '{}') as wanted from unnest(${types}::text[]) as t (type)
      where ${patterns}::text[] is null or type like any(${patterns}::text[])`.execute(world.db);
    expect(only(rows).wanted).toEqual(wanted);
  });

  it("count once", () => {
    expect(parseGlobs("types", ["token.*", "*", "token.*"])).toEqual(["token.*", "*"]);
  });

  it.each([[[""]], [["Instance.*"]], [["a b"]], [["a%"]], [["*a*b*c*"]], [["a".repeat(65)]], [Array(51).fill("a")]])(
    "such as %j are refused",
    async (globs) => {
      const attempt = (async () => parseGlobs("types", globs))();
      expect((await refusal("invalid-parameters", attempt)).fields).toHaveProperty("types");
    },
  );

  it.each([
    ["instnace.*", "Did you mean instance.*"],
    ["instance.activ", "Did you mean instance.active"],
    ["ssh_keys.created", "Did you mean ssh_key.created"],
    ["instance", "Did you mean instance.*"],
    [
      "*.zzz",
      "There are instance.*, account.*, payment.*, payment_method.*, auto_top_up.*, balance.*, budget.*, invoice.*, token.*, member.*, launch.*, capacity.*, reservation.*, ssh_key.*, file_system.*, firewall_ruleset.*, webhook.*, maintenance.*, host.*, gpu.*.",
    ],
  ])("that fit no type, such as %s, are refused with what there is", async (glob, help) => {
    const attempt = (async () => parseGlobs("types", ["token.*", glob]))();
    const { message = "" } = (await refusal("invalid-parameters", attempt)).fields.types ?? {};
    expect(message).toContain(`No event type matches "${glob}".`);
    expect(message).toContain(help);
  });

  it("of each type, and of all of a subject, are taken", () => {
    const all = [...eventTypes, ...eventSubjects.map((subject) => `${subject}.*`)];
    for (const glob of all) expect(parseGlobs("types", [glob])).toEqual([glob]);
  });

  it("cannot be made to search for long", () => {
    const began = performance.now();
    wants(["*a*a*aaaaaaaaaaaaaaaaaaaaaaaaaaaab"])("a".repeat(64));
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
