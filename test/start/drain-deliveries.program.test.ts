// SIGTERM while deliveries hang: a dead target of a customer's does not make the operator wait, and what was under way is
// delivered after the next start. The real program, with a target that takes a request and never answers, and one whose
// connection is never made whole.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { startReceiver } from "../support/receiver.ts";
import { startedOnce } from "../support/started-once.ts";
import { afterTest } from "../support/when-over.ts";

/** So long may the attempt alone take; a stop that waited for it would take longer than that. */
const attemptSeconds = 15;

async function ask(
  { lessor, token }: { lessor: Lessor; token: string },
  method: string,
  path: string,
  body?: object,
): Promise<{ id: string }> {
  const answer = await fetch(`${lessor.shown("Control")}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBe(200);
  return ((await answer.json()) as { data: { id: string } }).data; // as the document says
}

/** Takes connections and says nothing, so TLS is never done. */
async function mute(): Promise<{ port: number; taken: () => number }> {
  let taken = 0;
  const server: Server = createServer((socket) => {
    taken += 1;
    socket.on("error", () => {});
    afterTest(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(() => void server.close());
  return { port: (server.address() as { port: number }).port, taken: () => taken }; // it listens on a port
}

it("a server that is stopped while deliveries hang does not wait for them, and delivers after the next start", async () => {
  const { directory, customerToken: token } = await startedOnce();
  const settings = join(directory, "settings.yaml");
  writeFileSync(settings, "webhooks: { allow_http: true, allow_private_targets: true }\n");
  const env = { LESSOR_CONFIG: settings };
  const lessor = await startLessor(directory, env);
  const customer = { lessor, token };
  const [hanging, dead] = [await startReceiver(), await mute()];
  hanging.answer = () => undefined;

  const webhookTo = (url: string) => ask(customer, "POST", "/webhooks", { url, event_types: ["ssh_key.*"] });
  const { id } = await webhookTo(hanging.url);
  const { id: deadId } = await webhookTo(`https://127.0.0.1:${dead.port}/`);
  await ask(customer, "POST", `/webhooks/${deadId}/test`);
  const { id: testId } = await ask(customer, "POST", `/webhooks/${id}/test`);
  await hanging.received(1);
  await expect.poll(dead.taken, { timeout: 20_000 }).toBe(1);

  const began = performance.now();
  expect(await lessor.end("SIGTERM"), lessor.output()).toBe(0);
  const seconds = (performance.now() - began) / 1000;
  expect(seconds).toBeLessThan(attemptSeconds / 2);
  expect(lessor.output()).not.toContain('"webhook attempt"');

  const [first] = hanging.requests;
  hanging.answer = () => ({});
  const again = await startLessor(directory, env);
  const [, second] = await hanging.received(2);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  const read = () => ask({ lessor: again, token }, "GET", `/webhooks/${id}/deliveries/${testId}`);
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({ status: "delivered", attempts: 1 });
}, 120_000);
