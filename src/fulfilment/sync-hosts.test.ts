import { describe, expect, it } from "vitest";
import type { HostFacts } from "../rental/capacity/host-store.ts";
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
  gpus: [gpu("1"), gpu("2")],
  ...part,
});

describe("comparing stored with reported hosts", () => {
  it("finds none where nothing changed, whatever the order", () => {
    expect(changedHosts([host()], [host({ gpus: [gpu("2"), gpu("1")] })])).toEqual([]);
  });

  it("finds a new one", () => {
    expect(changedHosts([], [host()])).toEqual([host()]);
  });

  it.each<[string, Partial<HostFacts>]>([
    ["less memory", { memoryGib: 256 }],
    ["a host that is down", { available: false }],
    ["another region", { region: "south" }],
    ["a broken GPU", { gpus: [gpu("1"), gpu("2", false)] }],
    ["a new GPU", { gpus: [gpu("1"), gpu("2"), gpu("3")] }],
    ["a GPU less", { gpus: [gpu("1")] }],
  ])("finds %s", (_what, part) => {
    expect(changedHosts([host()], [host(part)])).toEqual([host(part)]);
  });

  it("makes one unavailable that is no longer reported, once", () => {
    const gone = host({ available: false });
    expect(changedHosts([host()], [])).toEqual([gone]);
    expect(changedHosts([gone], [])).toEqual([]);
  });
});
