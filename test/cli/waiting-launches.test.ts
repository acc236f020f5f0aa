// `lessor launch --wait` and `lessor launches`: what does not fit now waits, is shown, cancelled, and launched when it fits.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  token = await server.customerToken("acme");
});

const run = (...args: string[]) => runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });
const type = "gpu_1x_a10";

interface Launch {
  readonly id: string;
  readonly state: string;
  readonly instance_ids: readonly string[];
}

/** Opens or closes all hosts. */
async function operate(action: "cordon" | "uncordon"): Promise<void> {
  const env = { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken };
  const { out } = await runLessor(["hosts", "list", "--json"], { env });
  const names = (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
  const reason = action === "cordon" ? ["--reason", "Full"] : [];
  expect(await runLessor(["hosts", action, ...names, ...reason], { env })).toMatchObject({ code: 0 });
}

const listed = async (...more: string[]) =>
  JSON.parse((await run("launches", "list", "--json", ...more)).out) as readonly Launch[];

it("says how long a launch can wait", async () => {
  const { code, err } = await run("launch", type, "--wait", "soon");
  expect(code).toBe(2);
  expect(err).toContain("is not a time span");
});

it("says in a dry run whether a launch would wait, and begins none", async () => {
  const dry = (...more: string[]) => run("launch", type, "--wait", "1d", "--dry-run", ...more);
  expect(await dry()).toMatchObject({
    code: 0,
    out: expect.stringContaining("It would be placed now, without waiting."),
  });
  await operate("cordon");
  const full = await dry();
  expect(full).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Not enough capacity for ${type} in any region now.`),
  });
  expect(full.out).toMatch(/The launch would wait until \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC at most/);
  expect(JSON.parse((await dry("--json")).out)).toMatchObject({ fits: false, wait: { waits: true } });
  expect((await run("launch", type, "--dry-run")).code).not.toBe(0);
  await operate("uncordon");
  expect(await listed("--all")).toEqual([]);
});

it("shows what waits and for what, and cancels it once", async () => {
  await operate("cordon");
  expect((await run("launch", type)).code).not.toBe(0);
  const asked = await run("launch", type, "--wait", "1d", "--no-wait");
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("waiting") });
  const [launch] = await listed();
  const id = launch?.id ?? "";
  const shown = (await run("launches", "show", id.slice(0, 13))).out;
  expect(shown).toContain("capacity");
  expect(shown).toMatch(/Region \S+ has no host for this instance type/);
  const operator = { env: { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken } };
  expect((await runLessor(["launches", "list"], operator)).out).toMatch(/ID +ACCOUNT +STATE[\s\S]+ acme +waiting/);
  expect((await runLessor(["launches", "show", id], operator)).out).toContain("capacity");
  expect((await run("launches", "list")).out).not.toContain("ACCOUNT");
  expect(await run("launches", "cancel", id)).toMatchObject({ code: 0, out: expect.stringContaining("cancelled") });
  expect(await run("launches", "cancel", id)).toMatchObject({ err: expect.stringContaining("no longer waits") });
  expect([await listed(), (await listed("--all")).map(({ state }) => state)]).toEqual([[], ["cancelled"]]);
});

it("waits for its instance, which is launched when there is room", async () => {
  const launched = run("launch", type, "--wait", "1d", "--name", "later");
  await expect.poll(async () => (await listed()).length, { timeout: 20_000 }).toBe(1);
  await operate("uncordon");
  expect(await launched).toMatchObject({ code: 0, out: expect.stringContaining("later") });
  expect((await listed("--all")).map(({ state }) => state)).toEqual(["cancelled", "placed"]);
});
