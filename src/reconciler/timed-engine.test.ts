import { describe, expect, it } from "vitest";
import { quiet, stageOfFile } from "../../test/support/stage.ts";
import { EngineError } from "../engines/engine.ts";
import { Metrics } from "../metrics/metrics.ts";
import { engineCall } from "./engine-call.ts";
import { Interrupted } from "./failure.ts";
import { wake } from "./lease-store.ts";
import { startReconciler } from "./reconciler.ts";
import { timedCalls, timedEngine } from "./timed-engine.ts";

const stage = stageOfFile();

/** How many calls ended how: `inspect ok`. */
async function counted(metrics: Metrics): Promise<Record<string, number>> {
  const text = await metrics.text();
  const found = text.matchAll(/^lessor_engine_call_duration_seconds_count\{.*call="(.*?)",result="(.*?)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, call, result, count]) => [`${call} ${result}`, Number(count)]));
}

/** An engine whose inspect does what the test says. */
function inspecting(inspect: (signal: AbortSignal) => Promise<undefined>) {
  const metrics = new Metrics();
  const bare = Object.assign(stage.engine(), { inspect: (_: unknown, signal: AbortSignal) => inspect(signal) });
  const engine = timedEngine(bare, metrics);
  const machine = { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", host: "host-1" };
  return { metrics, inspect: (signal: AbortSignal) => engine.inspect(machine, signal) };
}

const open = new AbortController().signal;

describe("a call of an engine", () => {
  it.each([
    ["ok", () => Promise.resolve(undefined)],
    ["refused", () => Promise.reject(new EngineError("refused", "image-missing", "No."))],
    ["unavailable", () => Promise.reject(new EngineError("unavailable", "host-unreachable", "No."))],
    ["failed", () => Promise.reject(new TypeError("no"))],
  ] as const)("is counted as %s", async (result, call) => {
    const { metrics, inspect } = inspecting(call);
    await inspect(open).catch(() => {});
    expect(await counted(metrics)).toEqual({ [`inspect ${result}`]: 1 });
  });

  it("that is never answered is counted when its time is over, once", async () => {
    const { metrics, inspect } = inspecting(() => new Promise(() => {}));
    await engineCall(0.01, open, inspect).catch(() => {});
    expect(await counted(metrics)).toEqual({ "inspect timeout": 1 });
  });

  it("that is not wanted any more is no failure of the engine", async () => {
    const controller = new AbortController();
    const { metrics, inspect } = inspecting(() => new Promise(() => {}));
    const call = engineCall(10, controller.signal, inspect).catch(() => {});
    controller.abort(new Interrupted("stopping"));
    await call;
    expect(await counted(metrics)).toEqual({ "inspect given up": 1 });
  });
});

describe("a rental", () => {
  it("is seen in the metrics from creation to removal, with the turns it took", async () => {
    const metrics = new Metrics();
    await stage.host({ gpus: 8 });
    const { id, principal } = await stage.launchOne();
    const engine = stage.engine();
    const reconciler = startReconciler({
      db: stage.db,
      databaseUrl: stage.world.url,
      engines: new Map([[engine.name, engine]]),
      keyRing: stage.world.service.keyRing,
      settings: quiet,
      log: stage.log,
      metrics,
    });
    await reconciler.idle();
    await wake(stage.db, [id]);
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    await reconciler.stop();
    const calls = await counted(metrics);
    expect(Object.keys(calls)).toEqual(expect.arrayContaining(["create ok", "start ok", "inspect ok", "remove ok"]));
    expect(Object.keys(calls).every((one) => timedCalls.some((call) => one.startsWith(`${call} `)))).toBe(true);
    const text = await metrics.text();
    expect(text).toMatch(/lessor_reconciler_turn_duration_seconds_count\{action="ready",result="done"\} 1/);
    expect(text).toMatch(/lessor_reconciler_turn_duration_seconds_count\{action="remove",result="done"\} 1/);
    expect(text).toMatch(/^lessor_reconciler_turns_under_way 0$/m);
  });
});
