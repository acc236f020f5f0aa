// Faults over the control interface: what is injected, listed and removed, and what is rejected. What each kind does:
// test/engines/simulated.test.ts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startControl } from "../../../../test/support/control.ts";

let control: Awaited<ReturnType<typeof startControl>>;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control?.close());
beforeEach(() => control.data("DELETE", "/simulator/faults"));

const path = "/simulator/faults";
const list = () => control.data("GET", path);
const hangs = { scope: "host", target: "h1", operation: "create", kind: "hangs", remaining: 3 };

describe("a fault", () => {
  it("is listed with what it is, in the order of injection, until it is removed", async () => {
    const first = (await control.data("POST", path, { body: hangs })) as { id: number };
    const slow = { scope: "everything", kind: "boots-slowly", parameters: { seconds: 300 } };
    const second = await control.data("POST", path, { body: slow });
    expect(first).toMatchObject({ ...hangs, parameters: {}, created_at: expect.any(String) });
    expect(second).toMatchObject({ ...slow, target: null, operation: "start", remaining: null });
    expect(await list()).toEqual([first, second]);
    expect(await control.data("DELETE", `${path}/${first.id}`)).toEqual({});
    expect(await list()).toEqual([second]);
    expect((await control.ask("DELETE", `${path}/${first.id}`)).status).toBe(404);
    expect(await control.data("DELETE", path)).toEqual({});
    expect(await list()).toEqual([]);
  });

  it.each<[string, string, object]>([
    ["no target where there has to be one", "target", { ...hangs, target: null }],
    ["an empty target", "target", { ...hangs, target: "" }],
    ["a target for everything", "target", { ...hangs, scope: "everything" }],
    ["an operation for reports", "operation", { ...hangs, kind: "loses-reports" }],
    ["a parameter of another kind", "parameters", { ...hangs, parameters: { seconds: 1 } }],
    ["no times", "remaining", { ...hangs, remaining: 0 }],
    ["an unknown kind", "kind", { ...hangs, kind: "burns" }],
    ["an unknown operation", "operation", { ...hangs, operation: "explode" }],
    [
      "a negative time",
      "parameters.seconds",
      { scope: "everything", kind: "boots-slowly", parameters: { seconds: -1 } },
    ],
  ])("with %s is rejected, naming the field, and changes nothing", async (_what, field, body) => {
    const answer = await control.ask("POST", path, { body });
    expect(answer).toMatchObject({ status: 400, body: { field_errors: { [field]: {} } } });
    expect(await list()).toEqual([]);
  });
});

describe("a simulated host", () => {
  it("that does not exist neither fails nor is revived", async () => {
    for (const word of ["fail", "revive"])
      expect((await control.ask("POST", `/simulator/hosts/nowhere/${word}`)).status).toBe(404);
  });
});

describe("without a simulated engine", () => {
  it("there are no faults", async () => {
    const real = await startControl({}, { hasSimulator: false });
    try {
      for (const [method, body] of [["GET"], ["POST", hangs], ["DELETE"]] as const)
        expect((await real.ask(method, path, { body })).status).toBe(404);
    } finally {
      await real.close();
    }
  });
});
