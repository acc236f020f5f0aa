// What agents write into files of their guests, as a command there prints it. With real guests: test/cluster.

import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { GuestFiles, metricsFile } from "./guest-files.ts";
import { instanceName } from "./labels.ts";

/** Machines of a cluster, whose guests have written what `writes` says. */
async function begin(count = 1) {
  const { fake, engine, cluster } = await beginStand({});
  let now = 0;
  const files = new GuestFiles(cluster, () => now);
  onTestFinished(() => files.close());
  const specs = Array.from({ length: count }, () => machineSpec());
  for (const spec of specs) {
    await engine.create(spec, signal());
    await engine.start(spec, signal());
  }
  const [first = machineSpec()] = specs;
  const contents = new Map<string, string | "hangs" | undefined>();
  fake.onSession = (session, instance) => {
    const content = contents.get(instance);
    if (content !== "hangs") session.print(content ?? "");
  };
  const writes = (content: string, { id } = first) => contents.set(instanceName(id), content);
  /** What a round gives, as text. */
  const round = async (of = specs) => {
    const lines = await files.readLines(of);
    return of.map(({ id }) => lines.get(id) && Buffer.from(lines.get(id) ?? []).toString());
  };
  const reads = () => fake.seen("POST", /exec$/).filter(({ body }) => body.includes(metricsFile)).length;
  return { fake, files, specs, first, writes, round, reads, pass: (ms: number) => (now += ms) };
}

describe("the file of a guest's agent", () => {
  it("is read between the rounds, and gives each line once", async () => {
    const { writes, round, reads } = await begin();
    writes('{"v":1,"n":1}\n');
    expect(await round()).toEqual([undefined]);
    await eventually(() => round()).toEqual(['{"v":1,"n":1}']);
    const before = reads();
    await round();
    await eventually(reads).toBeGreaterThan(before);
    expect(await round()).toEqual([undefined]);
    writes('{"v":1,"n":2}\n');
    await eventually(() => round()).toEqual(['{"v":1,"n":2}']);
  });

  it.each([
    ["too long", "x\n".repeat(10_000)],
    ["a line without an end", '{"v":1}'],
    ["empty", ""],
  ])("that is %s gives nothing", async (_what, content) => {
    const { writes, round, reads, files, first } = await begin();
    writes(content);
    await round();
    await eventually(reads).toBe(1);
    await files.close();
    expect(await files.readLines([first])).toEqual(new Map());
  });

  it("that is not there is left alone for a while, longer each time", async () => {
    const { round, reads, pass } = await begin();
    await round();
    await eventually(reads).toBe(1);
    await eventually(async () => {
      pass(15_000);
      await round();
      return reads();
    }).toBe(3);
  });

  it("whose read hangs delays no other guest, and the read is killed", async () => {
    const { fake, specs, writes, round, first, files } = await begin(3);
    for (const spec of specs) writes('{"v":1}\n', spec);
    writes("hangs");
    await round([first]);
    for (const spec of specs.slice(1)) await eventually(() => round([spec])).toEqual(['{"v":1}']);
    expect(await round([first])).toEqual([undefined]);
    await files.close();
    await eventually(() => fake.sessions[0]?.told).toEqual([{ command: "signal", signal: 9 }]);
  });

  it("of a machine that is no longer asked for is not read", async () => {
    const { files, specs, round, reads, writes } = await begin(2);
    for (const spec of specs) writes("{}\n", spec);
    files.keepOnly(new Set());
    await round();
    files.keepOnly(new Set());
    await eventually(reads).toBe(2);
    expect(await round()).toEqual([undefined, undefined]);
  });
});
