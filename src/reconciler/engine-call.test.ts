import { describe, expect, it } from "vitest";
import { engineCall, engineTimeout } from "./engine-call.ts";

const never = () => new Promise<never>(() => {});
const patient = () => new AbortController().signal;

describe("an engine call", () => {
  it("gives back what the engine answers", async () => {
    expect(await engineCall(1, patient(), async () => "answer")).toBe("answer");
  });

  it("throws what the engine throws", async () => {
    await expect(engineCall(1, patient(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  it("ends at the deadline although the engine ignores its signal, and tells it", async () => {
    let told: AbortSignal | undefined;
    const call = engineCall(0.01, patient(), (signal) => {
      told = signal;
      return never();
    });
    await expect(call).rejects.toMatchObject({ kind: "unavailable", code: engineTimeout });
    expect(told?.aborted).toBe(true);
  });

  it("ends with the reason of whoever interrupts it", async () => {
    const controller = new AbortController();
    const call = engineCall(10, controller.signal, never);
    controller.abort(new Error("lease lost"));
    await expect(call).rejects.toThrow("lease lost");
  });

  it("gives that reason also where the engine rejects because of it", async () => {
    const controller = new AbortController();
    const obedient = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("AbortError"))));
    const call = engineCall(10, controller.signal, obedient);
    controller.abort(new Error("lease lost"));
    await expect(call).rejects.toThrow("lease lost");
  });

  it("does not begin when it is interrupted already", async () => {
    let begun = false;
    const call = engineCall(10, AbortSignal.abort(new Error("stopping")), async () => {
      begun = true;
    });
    await expect(call).rejects.toThrow("stopping");
    expect(begun).toBe(false);
  });
});
