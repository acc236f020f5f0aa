// How long a client waits for a member that takes a request and never answers, when its caller has time. Apart from the
// other tests of the client, because time stands still here for the whole file: undici keeps one clock for everything.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { Client } from "./client.ts";

beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const pass = (seconds: number) => void vi.advanceTimersByTime(seconds * 1000);

/** Two members. `asked` are those that were sent this request, in their order. */
async function begin() {
  const fake = await beginFake();
  const directory = await temporaryDirectory();
  const paths = [join(directory, "first"), join(directory, "second")];
  for (const path of paths) await fake.listenUnix(path);
  const client = new Client(settingsFor({ endpoints: paths.map((path) => ({ kind: "unix", path })) }));
  onTestFinished(() => client.close());
  const asked = (method: string) => fake.seen(method, /^/).map(({ listener }) => listener.replace(`${directory}/`, ""));
  return { fake, client, asked };
}

it("a read is sent to the next member after 45 seconds, and not before", async () => {
  const { fake, client, asked } = await begin();
  fake.faults.add("GET", /^\/1\.0$/, { silence: true });
  const call = client.call("/1.0", {}, signal());
  await eventually(() => asked("GET")).toEqual(["first"]);
  pass(40);
  // What was to happen by then has happened when the same member has answered another request.
  await client.call("/1.0/instances", {}, signal());
  expect(asked("GET")).toEqual(["first", "first"]);
  pass(10);
  expect((await call).metadata).toMatchObject({ auth: "trusted" });
  expect(asked("GET")).toEqual(["first", "first", "second"]);
});

it("a change is waited for as long as its caller waits, and sent to nobody else", async () => {
  const { fake, client, asked } = await begin();
  fake.faults.add("POST", /^\/1\.0\/instances$/, { silence: true });
  const caller = new AbortController();
  const reason = new Error("too late");
  const call = failure(client.call("/1.0/instances", { method: "POST", body: {} }, caller.signal));
  await eventually(() => asked("POST")).toEqual(["first"]);
  pass(3600);
  await client.call("/1.0", {}, signal());
  expect(asked("GET")).toEqual(["first"]);
  caller.abort(reason);
  expect(await call).toBe(reason);
  expect(asked("POST")).toEqual(["first"]);
});
