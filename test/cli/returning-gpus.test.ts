// What the commands say of GPUs that are being reset or validated: how many, and about when they are back.

import { sql } from "kysely";
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
  token = await server.customerToken("demo");
});

const run = (...args: string[]) => runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });
const asOperator = (...args: string[]) =>
  runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken } });

/** All GPUs of the model are being reset, and none is due, so they stay so. Resets of it took this long. */
async function allBeingReset(model: string, seconds: number): Promise<void> {
  await sql`
    update gpus set state = 'sanitizing', state_since = now(), attempts = 1, next_try_at = null where model = ${model}`.execute(
    server.db,
  );
  await sql`insert into gpu_times (gpu_id, kind, model, seconds) select id, 'reset', model, ${seconds} from gpus`.execute(
    server.db,
  );
  await sql`update gpu_pools set free = 0 where model = ${model}`.execute(server.db);
  await sql`update hosts set name = name`.execute(server.db);
}

it("says nothing of them while there are none", async () => {
  expect((await run("types")).out).not.toContain("COMING BACK");
});

it("says in how many minutes they are back: to who lists types, who launches, and operators", async () => {
  await allBeingReset("a10", 150);
  const back = /\d+ GPUs back in about [234] minutes/;
  const { out } = await run("types", "--gpu", "a10");
  expect(out.split("\n")[0]).toMatch(/^TYPE +PRICE +SPOT +FIT NOW +COMING BACK/);
  expect(out).toMatch(/^gpu_1x_a10 +\S+ +- +0 +\d+ GPUs back in about [234] minutes/m);
  expect((await run("types", "--gpu", "h100")).out).not.toContain("COMING BACK");
  const launched = await run("launch", "gpu_1x_a10", "--no-key");
  expect(launched.code).not.toBe(0);
  expect(launched.err).toMatch(back);
  expect(launched.err).toContain("Add --wait 1d to launch when there is capacity, or choose another instance type");
  const listed = (await asOperator("gpus", "list", "--state", "sanitizing")).out;
  expect(listed).toMatch(/ a10 .* sanitizing +in about [234] minutes/);
  expect((await asOperator("gpus", "list", "--state", "free")).out).not.toContain("in about");
});
