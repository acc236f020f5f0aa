import { describe, expect, it } from "vitest";
import { recordOf, type StoredHost } from "../rental/capacity/host-store.ts";
import type { HostFacts, HostOverrides } from "../rental/capacity/overrides.ts";
import { changedHosts } from "./sync-hosts.ts";

const gpu = (address: string, healthy = true) => ({ address, model: "H100", memoryGib: 80, numaNode: 0, healthy });
const host = (part: Partial<HostFacts> = {}): HostFacts => ({
  engine: "simulated",
  name: "h1",
  region: "north",
  vcpus: 64,
  memoryGib: 512,
  storageGb: 4000,
  available: true,
  sharedStorage: true,
  multiAttach: true,
  gpus: [gpu("1"), gpu("2")],
  ...part,
});

/** As it is stored after it was reported so. */
const stored = (part: Partial<HostFacts> = {}, overrides: HostOverrides | null = null): StoredHost =>
  recordOf(host(part), overrides);

describe("comparing stored with reported hosts", () => {
  it("finds none where nothing changed, whatever the order", async () => {
    expect(await changedHosts([stored()], [host({ gpus: [gpu("2"), gpu("1")] })])).toEqual([]);
  });

  it("finds a new one", async () => {
    expect(await changedHosts([], [host()])).toEqual([host()]);
  });

  it.each<[string, Partial<HostFacts>]>([
    ["less memory", { memoryGib: 256 }],
    ["a host that is down", { available: false }],
    ["another region", { region: "south" }],
    ["a broken GPU", { gpus: [gpu("1"), gpu("2", false)] }],
    ["a new GPU", { gpus: [gpu("1"), gpu("2"), gpu("3")] }],
    ["a GPU less", { gpus: [gpu("1")] }],
  ])("finds %s", async (_what, part) => {
    expect(await changedHosts([stored()], [host(part)])).toEqual([host(part)]);
  });

  it("makes one unavailable that is no longer reported, once", async () => {
    const gone = host({ available: false });
    expect(await changedHosts([stored()], [])).toEqual([expect.objectContaining(gone)]);
    expect(await changedHosts([recordOf(gone, null)], [])).toEqual([]);
  });

  it("finds one of which it is not known what the engine said", async () => {
    expect(await changedHosts([{ ...stored(), reported: null }], [host()])).toEqual([host()]);
  });

  it("finds storage that is no longer shared", async () => {
    expect(await changedHosts([stored()], [host({ sharedStorage: false })])).toEqual([host({ sharedStorage: false })]);
  });
});

describe("comparing a host with overrides", () => {
  const gpus = [{ address: "1", model: "named", memoryGib: 94 }];
  const overrides: HostOverrides = { vcpus: 32, memoryGib: 1000, storageGb: 4000, gpus };

  it("finds nothing to undo", async () => {
    expect(await changedHosts([stored({}, overrides)], [host()])).toEqual([]);
  });

  it("finds what the engine says anew, also where it counts as before", async () => {
    expect(await changedHosts([stored({}, overrides)], [host({ vcpus: 128 })])).toEqual([host({ vcpus: 128 })]);
  });

  it("finds one that does not count as its overrides say", async () => {
    expect(await changedHosts([{ ...stored({}, overrides), vcpus: 64 }], [host()])).toEqual([host()]);
  });

  it("makes it unavailable with what the engine said last, not with what it counts as", async () => {
    const [gone] = await changedHosts([stored({}, overrides)], []);
    expect(gone).toMatchObject({ vcpus: 64, available: false, gpus: [gpu("1"), gpu("2")] });
  });
});
