import { describe, expect, it } from "vitest";
import { lines } from "../../../test/support/check-stand.ts";
import { type GpuHelper, HelperError, type HelperHealth, type HelperList } from "../../gpus/helper.ts";
import { checkGpuHelper } from "./gpu-helper.ts";

const [first, second] = ["0000:18:00.0", "0000:2a:00.0"];
const gpu = { model: "10de:2330", driver: "vfio-pci", resetMethods: ["bus"] } as const;
const list: HelperList = { gpus: [{ ...gpu, address: first, moduleId: 1 }], fabricManager: null, partitions: [] };
const health: HelperHealth = { helperVersion: "0.1", fabric: { state: "none", detail: "" }, gpus: [] };
const fabric = { fabricManager: "570.1", partitions: [{ id: "0", gpus: [1], isActive: false }] };
const none = () => Promise.reject(new Error("BUG: a check changes nothing"));
const helper = (part: Partial<GpuHelper> = {}): GpuHelper => ({
  list: async () => list,
  health: async () => health,
  ...{ reset: none, activate: none, deactivate: none },
  ...part,
});
const report = (...addresses: string[]) => ({
  name: "h1",
  gpus: addresses.map((address) => ({ address, model: "h100", memoryGib: 80, numaNode: 0, healthy: true })),
});
const check = (part: Partial<GpuHelper> | undefined, addresses = [first], signal = AbortSignal.timeout(10_000)) =>
  lines(checkGpuHelper(report(...addresses), () => part && helper(part), signal));
const listing = (part: Partial<HelperList>) => ({ list: async () => ({ ...list, ...part }) });

describe("the check of a GPU helper", () => {
  it("says that it responds, and what it finds", async () => {
    expect(await check({})).toEqual([
      "ok GPU helper on h1: responds: 1 GPU, no fabric manager",
      "ok GPU helper on h1: version 0.1 finds no problem",
    ]);
    expect((await check(listing(fabric)))[0]).toMatch(/fabric manager 570\.1, 1 partitions$/);
  });

  it("warns of a host with GPUs that no command is set for", async () => {
    expect(await check(undefined)).toEqual([
      "warning GPU helper on h1: no command is set for this host -> add it to an entry of gpus.helpers",
    ]);
    expect(await check(undefined, [])).toEqual([]);
  });

  it("is a problem where it does not respond, with what to do", async () => {
    const failing = async () => {
      throw new HelperError("command-failed", "The command ended with exit code 255: ssh: Connection refused");
    };
    expect(await check({ list: failing })).toEqual([
      expect.stringMatching(
        /^problem GPU helper on h1: The command ended .*: Connection refused -> Run the command by/,
      ),
    ]);
    expect(await check({ health: failing })).toHaveLength(2);
  });

  it("compares its GPUs with those of the engine", async () => {
    expect((await check({}, [first, second]))[1]).toMatch(
      /^problem .* does not list 0000:2a:00\.0, which .* -> compare/,
    );
    const stuck = listing({ gpus: [{ ...gpu, address: first, moduleId: null, resetMethods: [] }] });
    expect((await check(stuck))[1]).toMatch(/^warning .* 0000:18:00\.0 cannot be reset -> use a kernel/);
    expect(await check(stuck, [])).toHaveLength(2);
  });

  it("warns of modules that do not fit the partitions", async () => {
    const unknown = listing({ ...fabric, gpus: [{ ...gpu, address: first, moduleId: null }] });
    expect((await check(unknown))[1]).toMatch(/^warning .* module ids of 0000:18:00\.0 are not known/);
    const absent = listing({ ...fabric, partitions: [{ id: "0", gpus: [1, 8, 3], isActive: false }] });
    expect((await check(absent))[1]).toMatch(/^warning .* modules without a GPU: 3 and 8 ->/);
  });

  it("has what its health has", async () => {
    const ill = {
      ...health,
      fabric: { state: "failed", detail: "no response" },
      gpus: [
        { address: first, problems: ["does not respond"] },
        { address: second, problems: ["of no interest"] },
      ],
    } as const;
    expect((await check({ health: async () => ill })).slice(1)).toEqual([
      expect.stringMatching(/^problem .* the fabric manager failed: no response -> read its log/),
      expect.stringMatching(/^warning .* 0000:18:00\.0: does not respond -> reseat/),
    ]);
  });

  it("ends with the reason of its signal", async () => {
    const controller = new AbortController();
    const aborting = async () => {
      controller.abort(new Error("interrupted"));
      throw new HelperError("aborted", "ended");
    };
    await expect(check({ list: aborting }, [first], controller.signal)).rejects.toThrow("interrupted");
  });
});
