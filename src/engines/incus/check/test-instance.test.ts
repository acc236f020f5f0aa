import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { beginCheckStand, type CheckStand, lines } from "../../../../test/support/check-stand.ts";
import { probeInstallation } from "../../check/test-instance-label.ts";
import { EngineError } from "../../engine.ts";
import { IncusEngine } from "../engine.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { type ProbeOrder, probeOn } from "./test-instance.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

interface Part extends Partial<ProbeOrder> {
  readonly signal?: AbortSignal;
  readonly change?: Partial<IncusSettings>;
}

function probe({ signal = AbortSignal.timeout(10_000), change = {}, ...part }: Part = {}): Promise<string[]> {
  const settings = { ...stand.settings, ...change };
  const engine = new IncusEngine(settings, probeInstallation);
  onTestFinished(() => engine.close());
  const base = { engine, settings, what: "probe on m2", host: "m2", image: "debian-12", deadlineSeconds: 10 };
  return lines(probeOn({ ...base, onProgress: () => {}, ...part }, signal));
}

const left = () => [...stand.fake.world.instances.keys()];

describe("a probe instance", () => {
  it("is made on its member, reached, and removed, with the time that each took", async () => {
    const at: string[] = [];
    expect(await probe({ onProgress: (what) => at.push(what) })).toEqual([
      expect.stringMatching(/^ok probe on m2: created in \d+\.\d s, ready after another \d+\.\d s, at 127\.0\.0\.1$/),
      expect.stringMatching(/^ok probe on m2: removed in \d+\.\d s$/),
    ]);
    expect(stand.door.knocks).toBeGreaterThan(0);
    expect(stand.fake.seen("POST", /instances$/)[0]?.query.target).toBe("m2");
    expect(at[0]).toBe("probe on m2: creating");
    expect(at.at(-1)).toBe("probe on m2: removing");
    expect(left()).toEqual([]);
  });

  it("is small, belongs to no service, and holds no key that opens it", async () => {
    await probe();
    const body = JSON.parse(stand.fake.seen("POST", /instances$/)[0]?.body.toString() ?? "");
    expect(body.config).toMatchObject({
      "limits.cpu": "1",
      "limits.memory": "1GiB",
      "user.lessor.installation": "lessor-engine-check/lab",
    });
    expect(body.config["cloud-init.user-data"]).not.toMatch(/ssh-(rsa|ed25519) /);
  });

  it("that the cluster refuses is a problem in the cluster's own words, with advice", async () => {
    stand.fake.faults.add("POST", /instances$/, { fail: { status: 404, error: "Image not found" } });
    expect(await probe()).toEqual([
      "problem probe on m2: The image does not exist on the host (Image not found) -> import the image: lessor image import",
    ]);
    expect(left()).toEqual([]);
  });

  it("that cannot start is a problem, and is removed", async () => {
    stand.fake.faults.add("PUT", /state$/, { operationFails: "Failed to run: forkstart" });
    expect(await probe()).toEqual([
      expect.stringMatching(/^problem probe on m2: .*forkstart/),
      expect.stringMatching(/^ok probe on m2: removed/),
    ]);
    expect(left()).toEqual([]);
  });

  it("that is not reached in time says what the SSH probe says, and is removed", async () => {
    stand.door.open = false;
    expect(await probe({ deadlineSeconds: 0.5 })).toEqual([
      expect.stringMatching(
        /^problem probe on m2: not ready within 0\.5 s: waiting for SSH to answer at 127\.0\.0\.1 \(.*\) -> if this machine cannot reach/,
      ),
      expect.stringMatching(/^ok probe on m2: removed/),
    ]);
    expect(left()).toEqual([]);
  });

  it("without an address in time says where addresses should come from", async () => {
    stand.fake.world.guestAddress = undefined;
    expect((await probe({ deadlineSeconds: 0.5 }))[0]).toMatch(/waiting for an address -> .*lxdbr0 assigns addresses/);
  });

  it("that halts by itself is a problem", async () => {
    stand.door.open = false;
    const halting = probe({
      onProgress: (at) => {
        // Before a renter could have anything in it.
        if (!/SSH/.test(at)) return;
        for (const [name, instance] of stand.fake.world.instances) {
          delete instance.config["user.lessor.told"];
          stand.fake.world.stop(name, true);
        }
      },
    });
    expect((await halting)[0]).toMatch(/^problem probe on m2: It halted itself -> check that the image boots/);
  });
});

describe("an interrupted check", () => {
  it("removes its probe instance before it ends", async () => {
    stand.door.open = false;
    const interrupt = new AbortController();
    const onProgress = (at: string) => {
      if (/SSH/.test(at)) interrupt.abort(new Error("interrupted"));
    };
    await expect(probe({ signal: interrupt.signal, onProgress })).rejects.toThrow("interrupted");
    expect(stand.fake.seen("POST", /instances$/)).toHaveLength(1);
    expect(left()).toEqual([]);
  });

  it("waits for the end of a create that is under way, because only then it can be removed", async () => {
    stand.fake.faults.add("POST", /instances$/, { hold: true });
    const interrupt = new AbortController();
    let removing = false;
    const onProgress = (at: string) => {
      if (at.endsWith("removing")) removing = true;
    };
    const probing = expect(probe({ onProgress, signal: interrupt.signal })).rejects.toThrow("interrupted");
    await expect.poll(() => stand.fake.operations.running().length).toBe(1);
    interrupt.abort(new Error("interrupted"));
    await expect.poll(() => removing).toBe(true);
    expect(left()).toHaveLength(1);
    for (const { id } of stand.fake.operations.running()) stand.fake.operations.settle(id);
    await probing;
    expect(left()).toEqual([]);
  });

  it("tries the removal again where it fails at first", async () => {
    const engine = new IncusEngine(stand.settings, probeInstallation);
    onTestFinished(() => engine.close());
    const remove = engine.remove.bind(engine);
    let asked = 0;
    engine.remove = async (machine, signal) => {
      asked++;
      if (asked === 1) throw new EngineError("unavailable", "machine-busy", "Something else is under way.");
      await remove(machine, signal);
    };
    expect((await probe({ engine }))[1]).toMatch(/^ok probe on m2: removed in /);
    expect(asked).toBe(2);
    expect(left()).toEqual([]);
  });
});
