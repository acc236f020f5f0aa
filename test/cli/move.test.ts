// `lessor move` and `lessor hosts drain --mode`: what an operator asks for and reads.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
beforeAll(async () => {
  server = await startDemoService(whenOver);
});

const run = (...args: string[]) =>
  runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken } });

interface Shown {
  readonly host: string;
  readonly status: string;
  readonly move: { readonly from: string; readonly to: string; readonly phase: string } | null;
}

const show = async () => JSON.parse((await run("show", "box", "--json")).out) as Shown;

it("moves a stopped instance, and shows how far it is until it has started elsewhere", async () => {
  await run("launch", "gpu_1x_l40s", "--name", "box", "--region", "us-west-1");
  const running = await run("move", "box");
  expect(running).toMatchObject({ code: 5, out: "" });
  expect(running.err).toContain("Only a stopped instance can be moved");
  expect((await run("stop", "box", "--reason", "Fans")).code).toBe(0);
  const { host: from } = await show();

  const nowhere = await run("move", "box", "--host", "nowhere");
  expect([nowhere.code, nowhere.err]).toEqual([expect.any(Number), expect.stringContaining("nowhere")]);
  const already = await run("move", "box", "--host", from);
  expect(already).toMatchObject({ code: 0, out: `box is on ${from} already.\n` });
  const moving = await run("move", "box", "--reason", "Fans are exchanged");
  expect(moving).toMatchObject({ code: 0, err: "" });
  expect(moving.out).toMatch(new RegExp(`^NAME +FROM +TO +PHASE.*\\nbox +${from} +us-west-1-l40s-0\\d +copying`));
  await expect.poll(async () => (await show()).move?.phase, { timeout: 30_000 }).toBe("moved");
  const { host: to } = await show();
  expect((await run("show", "box")).out).toMatch(new RegExp(`^Move +${from} to ${to}: moved, 100 % copied$`, "m"));
  expect((await run("move", "box", "--host", to)).out).toMatch(/moved/);
  // The old copy still takes capacity of its host.
  for (const one of [from, to])
    expect((await run("list", "--host", one)).out).toMatch(new RegExp(`^box .* ${from} to ${to}: moved`, "m"));

  expect((await run("restart", "box", "--reason", "Moved")).code).toBe(0);
  await expect.poll(show, { timeout: 30_000 }).toMatchObject({ status: "active", host: to, move: null });
  expect((await run("list", "--host", from)).out).toBe("No instances match these filters.\n");
  expect((await run("show", "box")).out).not.toMatch(/^Move/m);
});

it("drains a host by moving, and says so", async () => {
  const drained = await run("hosts", "drain", "us-west-1-l40s-02", "--mode", "move");
  expect(drained).toMatchObject({ code: 0, err: "" });
  expect((await run("hosts", "show", "us-west-1-l40s-02")).out).toMatch(/^Emptied by +stopped instances are moved/m);
  const wrong = await run("hosts", "drain", "us-west-1-l40s-02", "--mode", "fast");
  expect(wrong.err).toContain('There is no drain mode "fast".');
});
