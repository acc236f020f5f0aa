import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../../../../test/support/control.ts";
import { type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import { lastOf } from "./console-log.ts";

let world: World;
let http: RunningHttp;
let mine: Awaited<ReturnType<RunningHttp["customer"]>>;
let written = "";
let asked = 0;
beforeAll(async () => {
  world = await makeWorld();
  const engine = {
    consoleLog: async ({ host }: { host: string }) => {
      asked += 1;
      return `${written} on ${host}`;
    },
    openTerminal: () => Promise.reject(new Error("not asked for here")),
    hosts: async () => [],
    identity: async () => "",
  };
  http = await startHttp(world, { engines: new Map([["simulated", engine]]) });
  mine = await http.customer();
  await world.host({ name: "host-a", region: "north", gpus: 0, vcpus: 100, memoryGib: 1000, storageGb: 10_000 });
  await world.image({ name: "ubuntu", number: 7 });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
});
afterAll(async () => {
  await http.close();
  await world.close();
});

const launched = () => world.launchOne(mine.principal, { instanceType: "cpu" });
const read = (id: string, token = mine.token) =>
  http.call("GET", `${http.control}/instances/${id}/console-log`, { token });

describe("the console of an instance", () => {
  it("is read by its account, and by an operator", async () => {
    const { id } = await launched();
    written = "login:";
    const { token } = await http.customer({ scopes: ["operator"] });
    for (const one of [mine.token, token]) {
      const { status, body } = await read(id, one);
      expect([status, body]).toEqual([200, { data: { text: "login: on host-a", truncated: false } }]);
    }
  });

  it("is not found by other accounts, whose question reaches no engine", async () => {
    const { id } = await launched();
    const { token } = await http.customer();
    const before = asked;
    const answer = await read(id, token);
    expect([answer.status, codeOf(answer), asked]).toEqual([404, "global/object-does-not-exist", before]);
  });

  it("needs the scope to read", async () => {
    const { id } = await launched();
    const { token } = await http.customer({ principal: mine.principal, scopes: ["write"] });
    expect((await read(id, token)).status).toBe(403);
  });

  it("is a conflict once the instance is terminated", async () => {
    const { id } = await launched();
    await world.put(id, "terminated");
    const answer = await read(id);
    expect([answer.status, codeOf(answer)]).toEqual([409, "global/conflict"]);
  });

  it("is cut to its end where it is long", async () => {
    const { id } = await launched();
    written = `${"x".repeat(99)}\n`.repeat(20_000);
    const { body } = await read(id);
    const { text, truncated } = (body as { data: { text: string; truncated: boolean } }).data;
    expect([truncated, text.endsWith(" on host-a")]).toEqual([true, true]);
    expect(text.length).toBeLessThanOrEqual(1_048_576);
    expect(text.length).toBeGreaterThan(1_048_576 - 200);
  });
});

describe("the last bytes of a console", () => {
  it.each([
    ["", 10, "", false],
    ["short", 5, "short", false],
    ["one\ntwo\nthree", 9, "two\nthree", true],
    ["one\ntwo\nthree", 8, "three", true],
    ["one\ntwo\nthree", 7, "three", true],
    ["a line without end", 3, "end", true],
    ["ends with a line\n", 4, "ine\n", true],
    ["ääää", 3, "ä", true],
    ["ä€😀", 4, "😀", true],
    ["ä€😀", 3, "", true],
  ])("of %j are at most %i, from a line's or a character's beginning", (text, most, expected, truncated) => {
    expect(lastOf(text, most)).toEqual({ text: expected, truncated });
  });
});
