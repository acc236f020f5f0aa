// How long a client waits for a service that takes a request and never answers, when its caller has time. Apart from the
// other tests of the client, because time stands still here for the whole file: undici keeps one clock for everything.

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { eventually, failure } from "../../../../test/support/engine-calls.ts";
import { beginCloud } from "../../../../test/support/small-cloud.ts";
import { NoAnswer } from "./api-error.ts";

beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const network = { service: "network", region: undefined } as const;
const pass = (seconds: number) => void vi.advanceTimersByTime(seconds * 1000);
const patient = new AbortController().signal;

async function begin() {
  const cloud = await beginCloud();
  for (const method of ["GET", "POST"]) cloud.answer(method, /silent$/, { instead: "silence" });
  cloud.answer("GET", /ports$/, { body: { ports: [] } });
  const client = cloud.client();
  await client.call(network, "/ports", {}, patient);
  return { cloud, client, silent: () => cloud.seen.filter(({ path }) => path.endsWith("silent")).length };
}

it("a read is given up after 45 seconds, not before, and not sent again", async () => {
  const { client, silent } = await begin();
  const events: string[] = [];
  const call = failure(client.call(network, "/silent", {}, patient)).finally(() => events.push("ended"));
  await eventually(silent).toBe(1);
  pass(44);
  // What was to happen by then has happened when another request is answered.
  await client.call(network, "/ports", {}, patient);
  expect(events).toEqual([]);
  pass(2);
  const error = await call;
  expect(error).toBeInstanceOf(NoAnswer);
  expect(String(error)).toContain("no response within 45 seconds");
  expect(silent()).toBe(1);
});

it("a change is waited for as long as its caller waits", async () => {
  const { client, silent } = await begin();
  const caller = new AbortController();
  const reason = new Error("too late");
  const call = failure(client.call(network, "/silent", { method: "POST", body: {} }, caller.signal));
  await eventually(silent).toBe(1);
  pass(3600);
  await client.call(network, "/ports", {}, patient);
  caller.abort(reason);
  expect(await call).toBe(reason);
  expect(silent()).toBe(1);
});
