import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { placeOn } from "../../../test/support/fake-libvirt/bench.ts";
import { beginStand } from "../../../test/support/fake-libvirt/stand.ts";
import type { HostConnection } from "./host-connection.ts";
import { type VerificationDependencies, Verifications } from "./verifications.ts";
import { VirshError } from "./virsh/virsh-error.ts";

interface Trial {
  readonly host: string;
  readonly signal: AbortSignal;
  readonly pass: () => void;
  readonly fail: (why: Error) => void;
}

/** Proofs whose outcome the test decides, on the hosts h1 and h2. */
async function begin(part: Partial<VerificationDependencies> = {}) {
  const stand = await beginStand();
  const [h1, h2] = [placeOn(stand, "h1"), placeOn(stand, "h2")];
  const trials: Trial[] = [];
  let now = 0;
  let verdicts = 0;
  const proofs = new Verifications({
    onVerdict: () => verdicts++,
    clock: () => now,
    prove: ({ host }, within) =>
      new Promise<void>((resolve, reject) => {
        trials.push({ host: host.name, signal: within, pass: resolve, fail: reject });
        within.addEventListener("abort", () => reject(within.reason), { once: true });
      }),
    ...part,
  });
  onTestFinished(() => proofs.close());
  const trial = () => {
    const last = trials.at(-1);
    if (last === undefined) throw new Error("BUG: nothing is being proved");
    return last;
  };
  /** What is known of it without waiting. */
  const known = (place: HostConnection = h1) => proofs.works(place, AbortSignal.abort());
  const proved = async (outcome: "pass" | "fail" | Error, place = h1) => {
    const asked = proofs.works(place, signal());
    if (outcome === "pass") trial().pass();
    else trial().fail(outcome === "fail" ? new Error("a guest hangs") : outcome);
    return asked;
  };
  return {
    proofs,
    h1,
    h2,
    trials,
    trial,
    known,
    proved,
    verdicts: () => verdicts,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

const lost = VirshError.ended(1, null, "error: Disconnected from qemu+tcp://h1/system due to I/O error");

describe("a host", () => {
  it("works once a guest ran there, and is not proved again", async () => {
    const { proved, known, trials, pass } = await begin();
    expect(await proved("pass")).toBe(true);
    pass(1e9);
    expect([await known(), trials.length]).toEqual([true, 1]);
  });

  it("that fails its proof does not work, and is tried again a minute later", async () => {
    const { proved, known, trials, pass, trial } = await begin();
    expect(await proved("fail")).toBe(false);
    pass(59_999);
    expect([await known(), trials.length]).toEqual([false, 1]);
    pass(1);
    expect([await known(), trials.length]).toEqual([false, 2]);
    trial().pass();
    await eventually(() => trials.length).toBe(2);
    expect(await known()).toBe(true);
  });

  it("is waited for no longer than the caller can wait, and the proof goes on", async () => {
    const { proofs, h1, trial, verdicts, known } = await begin();
    expect(await proofs.works(h1, AbortSignal.timeout(5))).toBe(false);
    trial().pass();
    await eventually(verdicts).toBe(1);
    expect(await known()).toBe(true);
  });

  it("is proved once for many who ask at once, and apart from others", async () => {
    const { proofs, h1, h2, trials } = await begin();
    const asked = [h1, h2, h1, h1].map((place) => proofs.works(place, signal()));
    expect(trials.map(({ host }) => host)).toEqual(["h1", "h2"]);
    trials[0]?.pass();
    trials[1]?.fail(new Error("a guest hangs"));
    expect(await Promise.all(asked)).toEqual([true, false, true, true]);
  });
});

describe("a host that may have started anew", () => {
  it("keeps its verdict until there is a newer one", async () => {
    const { proofs, proved, known, trials, trial, verdicts } = await begin();
    await proved("pass");
    proofs.forget("h1");
    expect([await known(), trials.length]).toEqual([true, 2]);
    trial().fail(new Error("a guest hangs"));
    await eventually(verdicts).toBe(2);
    expect(await known()).toBe(false);
  });

  it("in the middle of its proof is proved once more", async () => {
    const { proofs, h1, trials, known } = await begin();
    const asked = proofs.works(h1, signal());
    proofs.forget("h1");
    await known();
    trials[0]?.pass();
    expect(await asked).toBe(true);
    expect([await known(), trials.length]).toEqual([true, 2]);
  });

  it("is not proved before somebody asks", async () => {
    const { proofs, proved, trials } = await begin();
    await proved("pass");
    proofs.forget("h1");
    proofs.forget("h2");
    expect(trials).toHaveLength(1);
  });
});

describe("a proof that says nothing", () => {
  it("because the host was lost leaves the verdict as it was, and is begun again at the next question", async () => {
    const { proofs, proved, known, trials, trial, verdicts } = await begin();
    await proved("pass");
    proofs.forget("h1");
    await known();
    trial().fail(lost);
    await eventually(() => known().then(() => trials.length)).toBe(3);
    expect([await known(), verdicts()]).toEqual([true, 1]);
  });

  it("and is the first is no verdict: the host does not work as long as nobody knows", async () => {
    const { proved, known, trials, trial } = await begin();
    expect(await proved(lost)).toBe(false);
    expect([await known(), trials.length]).toEqual([false, 2]);
    trial().pass();
    await eventually(() => known()).toBe(true);
  });

  it("because a call was never answered is ended", async () => {
    const { proofs, h1, trials, known } = await begin({ mostMs: 5 });
    expect(await proofs.works(h1, signal())).toBe(false);
    expect(trials[0]?.signal.aborted).toBe(true);
    expect([await known(), trials.length]).toEqual([false, 2]);
  });
});

it("a verdict is told when it is new, and not when it says the same as before", async () => {
  const { proofs, proved, known, trial, verdicts, pass, trials } = await begin();
  await proved("fail");
  expect(verdicts()).toBe(1);
  pass(60_000);
  await known();
  trial().fail(new Error("a guest hangs"));
  await eventually(() => {
    pass(60_000);
    return known().then(() => trials.length);
  }).toBe(3);
  expect(verdicts()).toBe(1);
  trial().pass();
  await eventually(verdicts).toBe(2);
  proofs.forget("h1");
  await known();
  trial().pass();
  await eventually(() => known()).toBe(true);
  expect(verdicts()).toBe(2);
});

it("what is under way is given up when they are closed, nobody is told, and nothing is begun", async () => {
  const { proofs, h1, h2, trials, verdicts } = await begin();
  const asked = proofs.works(h1, signal());
  await proofs.close();
  expect([trials[0]?.signal.aborted, await asked, verdicts()]).toEqual([true, false, 0]);
  expect([await proofs.works(h2, signal()), trials.length]).toEqual([false, 1]);
});

it("a real proof is a guest that runs", async () => {
  const stand = await beginStand();
  const [h1, h2] = [placeOn(stand, "h1"), placeOn(stand, "h2")];
  stand.fake.world.host("h2").hardware.accelerators.kvm = "refuses";
  const proofs = new Verifications({ onVerdict: () => {} });
  onTestFinished(() => proofs.close());
  expect(await Promise.all([h1, h2].map((place) => proofs.works(place, signal())))).toEqual([true, false]);
});

describe("what a service that was killed in a proof has left", () => {
  it("is cleared away some time after the next proof, when it is too old to be a rival's", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const cleared: string[] = [];
    const { proved, proofs } = await begin({ clear: async ({ host }) => void cleared.push(host.name) });
    expect(await proved("pass")).toBe(true);
    await vi.advanceTimersByTimeAsync(39_000);
    expect(cleared).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(cleared).toEqual(["h1"]);
    await proofs.close();
  });

  it("is left to the next service where this one is closed before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const cleared: string[] = [];
    const { proved, proofs } = await begin({ clear: async ({ host }) => void cleared.push(host.name) });
    await proved("pass");
    await proofs.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cleared).toEqual([]);
  });
});
