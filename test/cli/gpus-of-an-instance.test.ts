// What a customer does about the GPUs of an instance with `lessor report-fault` and `lessor idle`.

import { beforeAll, expect, it } from "vitest";
import { replacementKey } from "../../src/rules/replacement-key.ts";
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

it("reports a faulty GPU, which leaves service when the instance ends", async () => {
  expect(await run("launch", "gpu_1x_a10", "--name", "broken", "--no-key")).toMatchObject({ code: 0 });
  expect(await run("report-fault", "broken", "Falls off the bus", "--gpu", "0")).toMatchObject({
    code: 0,
    out: "Reported. 1 GPU leaves service when broken ends.\nLaunch another one like it: lessor report-fault --replace, or lessor launch --like broken\n",
  });
  expect(await run("report-fault", "broken", "Again", "--gpu", "1")).toMatchObject({
    code: 1,
    err: expect.stringContaining("from 0 to 0"),
  });
  expect(await run("terminate", "broken", "--yes", "--wait")).toMatchObject({ code: 0 });
  expect((await asOperator("gpus", "list", "--state", "quarantined")).out).toContain("reported");
});

it("launches one replacement for an instance, with its secrets", async () => {
  expect(await run("launch", "gpu_1x_a10", "--name", "worn", "--no-key", "--env", "A=b", "--no-wait")).toMatchObject({
    code: 0,
  });
  await expect.poll(async () => (await run("show", "worn")).out, { timeout: 20_000 }).toMatch(/Status +active/);
  const replaced = await run("report-fault", "worn", "ECC errors", "--replace", "--json");
  expect(replaced).toMatchObject({ code: 0, err: expect.stringContaining("$0.75/h") });
  const { gpus, replacement } = JSON.parse(replaced.out);
  expect(gpus).toBe(1);
  expect(replacement).toMatchObject({ instance_type: { name: "gpu_1x_a10" }, has_env_vars: true });
  const again = await run("report-fault", "worn", "ECC errors, still", "--replace");
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining(replacement.name) });
  expect(
    JSON.parse((await run("ls", "--json")).out).filter((one: { name: string }) => one.name === replacement.name),
  ).toHaveLength(1);
  // As it is now, and not as the stored response of the launch has it.
  await server.db
    .updateTable("instances")
    .set({ name: "spare", created_at: new Date(Date.now() - 600_000) })
    .where("id", "=", replacement.id)
    .execute();
  expect(await run("report-fault", "worn", "ECC errors, again", "--replace")).toMatchObject({
    code: 0,
    out: expect.stringContaining("spare"),
  });
});

it("launches no replacement where the console has launched one", async () => {
  const launched = await run("launch", "gpu_1x_a10", "--name", "tired", "--no-key", "--json");
  const [{ id }] = JSON.parse(launched.out);
  const answer = await fetch(`${server.control}/instances`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": replacementKey(id),
    },
    body: JSON.stringify({ like: id }),
  });
  expect(answer.status).toBe(200);
  expect(await run("report-fault", "tired", "ECC errors", "--replace")).toMatchObject({
    code: 1,
    err: expect.stringContaining("A replacement for tired was launched before."),
  });
});

it("chooses what happens when GPUs are not used, at launch and later", async () => {
  const launched = await run("launch", "gpu_1x_a10", "--name", "lazy", "--no-key", "--idle", "1h:stop", "--json");
  expect(JSON.parse(launched.out)).toMatchObject([{ idle_rule: { minutes: 60, action: "stop" } }]);
  expect((await run("show", "lazy")).out).toMatch(/^Idle rule +stop after 1 h(our)? without use of its GPUs$/m);
  expect((await run("idle", "lazy", "30m:terminate")).out).toMatch(/^lazy: terminate after 30 min/);
  expect((await run("idle", "lazy", "none")).out).toBe("lazy: no idle rule.\n");
  expect(await run("idle", "lazy", "30m:sleep")).toMatchObject({ code: 2 });
  const tooShort = await run("idle", "lazy", "1m:stop");
  expect(tooShort).toMatchObject({ code: 1, err: expect.stringContaining("Must be at least 5.") });
  expect(tooShort.err).not.toContain("null");
});
