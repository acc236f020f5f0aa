import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginStand } from "../../../../test/support/fake-incus/stand.ts";
import { ApiError, NoAnswer } from "./api-error.ts";
import { change, isBusy, waitFor } from "./operations.ts";

const start = { method: "PUT", body: { action: "start" } } as const;
const statePath = "/1.0/instances/x/state";

async function begin() {
  const { fake, cluster } = await beginStand();
  fake.world.addInstance("x");
  const operationId = async () => {
    await eventually(() => fake.operations.running().length).toBe(1);
    return fake.operations.running()[0]?.id ?? "";
  };
  return { fake, client: cluster.client, operationId };
}

describe("a change", () => {
  it("resolves when its operation has ended, not before", async () => {
    const { fake, client, operationId } = await begin();
    fake.faults.add("PUT", /state$/, { hold: true });
    let resolved = false;
    const call = change(client, statePath, start, signal()).then(() => {
      resolved = true;
    });
    const id = await operationId();
    await eventually(() => fake.seen("GET", /\/wait$/).length).toBe(1);
    expect(resolved).toBe(false);
    fake.operations.settle(id);
    await call;
    expect(fake.world.instances.get("x")?.status).toBe("Running");
  });

  it("goes on waiting when it is told that the operation still runs", async () => {
    const { fake, client } = await begin();
    fake.faults.add("PUT", /state$/, { hold: true });
    fake.operations.impatience = 2;
    const call = change(client, statePath, start, signal());
    await eventually(() => fake.seen("GET", /\/wait$/).length).toBe(3);
    for (const { id } of fake.operations.running()) fake.operations.settle(id);
    await call;
    expect(fake.seen("PUT", /state$/).length).toBe(1);
  });

  it("that is done when it is answered is not waited for", async () => {
    const { fake, client } = await begin();
    await change(client, "/1.0/instances/x", { method: "PATCH", body: { config: { a: "b" } } }, signal());
    expect(fake.seen("GET", /\/wait$/)).toEqual([]);
  });

  it("whose operation fails is an ApiError in the cluster's words", async () => {
    const { fake, client } = await begin();
    fake.faults.add("PUT", /state$/, { operationFails: "No space left on device" });
    const error = await failure(change(client, statePath, start, signal()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, message: "No space left on device" });
  });

  it("whose operation is cancelled has failed too", async () => {
    const { fake, client, operationId } = await begin();
    fake.faults.add("PUT", /state$/, { hold: true });
    const call = failure(change(client, statePath, start, signal()));
    fake.operations.cancel(await operationId());
    expect(await call).toMatchObject({ name: "ApiError", status: 401, message: "The operation was cancelled." });
  });

  it("whose operation is forgotten ended nobody knows how", async () => {
    const { fake, client, operationId } = await begin();
    fake.faults.add("PUT", /state$/, { hold: true });
    const call = failure(change(client, statePath, start, signal()));
    await operationId();
    await eventually(() => fake.seen("GET", /\/wait$/).length).toBe(1);
    fake.operations.forgetAll();
    expect(await call).toBeInstanceOf(NoAnswer);
  });

  it("is sent once, also when the connection of the wait is lost", async () => {
    const { fake, client } = await begin();
    fake.faults.add("GET", /\/wait$/, { drop: "before" });
    expect(await failure(change(client, statePath, start, signal()))).toBeInstanceOf(NoAnswer);
    expect(fake.seen("PUT", /state$/).length).toBe(1);
  });

  it("ends with the reason of its signal while it is waited for", async () => {
    const { fake, client } = await begin();
    fake.faults.add("PUT", /state$/, { hold: true });
    const waiting = new AbortController();
    const call = failure(change(client, statePath, start, waiting.signal));
    await eventually(() => fake.seen("GET", /\/wait$/).length).toBe(1);
    const reason = new Error("too late");
    waiting.abort(reason);
    expect(await call).toBe(reason);
  });
});

it("the wait asks for the operation in the project of the settings, whatever query its path came with", async () => {
  const { fake, client } = await begin();
  const { id } = fake.operations.begin({ held: false, fails: undefined }, () => undefined);
  await waitFor(client, `/1.0/operations/${id}?project=other`, signal());
  expect(fake.requests[0]).toMatchObject({ path: `/1.0/operations/${id}/wait`, query: { project: "default" } });
});

describe("an instance is busy", () => {
  it("while an operation names it, with or without a query, and no longer", async () => {
    const { fake, client } = await begin();
    expect(await isBusy(client, "x", signal())).toBe(false);
    for (const named of ["/1.0/instances/x", "/1.0/instances/x?project=default"]) {
      const plan = { held: true, fails: undefined, resources: { images: [], instances: [named] } };
      const { id } = fake.operations.begin(plan, () => undefined);
      expect(await isBusy(client, "x", signal())).toBe(true);
      expect(await isBusy(client, "x2", signal())).toBe(false);
      expect(await isBusy(client, "", signal())).toBe(false);
      fake.operations.settle(id);
      expect(await isBusy(client, "x", signal())).toBe(false);
    }
  });

  it("not by a command or a console that is open in it", async () => {
    const { fake, client } = await begin();
    for (const description of ["Executing command", "Showing console"]) {
      const plan = { held: true, fails: undefined, description, resources: { instances: ["/1.0/instances/x"] } };
      fake.operations.begin(plan, () => undefined);
    }
    expect(fake.operations.running().length).toBe(2);
    expect(await isBusy(client, "x", signal())).toBe(false);
  });
});
