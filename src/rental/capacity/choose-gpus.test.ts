import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { chooseGpus, type FreeGpu } from "./choose-gpus.ts";

/** GPUs named by node and place: "0a", "0b", "1a" … */
function free(...names: string[]): FreeGpu[] {
  return names.map((name) => ({ address: name, numaNode: Number(name[0]) }));
}

const anyFreeGpus = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 7 })), {
    minLength: 1,
    maxLength: 16,
    selector: ([node, place]) => `${node}:${place}`,
  })
  .map((gpus) => gpus.map(([node, place]): FreeGpu => ({ address: `${node}:${place}`, numaNode: node })));
const anyChoice = anyFreeGpus.chain((gpus) => fc.tuple(fc.constant(gpus), fc.integer({ min: 1, max: gpus.length })));

function nodesOf(addresses: readonly string[]): Set<string | undefined> {
  return new Set(addresses.map((address) => address[0]));
}

describe("the GPUs of an instance", () => {
  it("are of one NUMA node where one has enough", () => {
    expect(chooseGpus(free("0a", "1a", "1b", "0b"), 2)).toEqual(["0a", "0b"]);
  });

  it("come from the node with the fewest free that suffice, so that a whole node stays whole", () => {
    expect(chooseGpus(free("0a", "0b", "0c", "0d", "1c", "1d"), 2)).toEqual(["1c", "1d"]);
  });

  it("span as few nodes as can be where one has not enough", () => {
    expect(chooseGpus(free("0a", "1a", "1b", "2a", "2b", "2c"), 5)).toEqual(["2a", "2b", "2c", "1a", "1b"]);
  });

  it("do not depend on the order in which the free ones are told", () => {
    fc.assert(
      fc.property(anyChoice, ([gpus, count]) => {
        expect(chooseGpus([...gpus].reverse(), count)).toEqual(chooseGpus(gpus, count));
      }),
    );
  });

  it("are as many as asked for, each free and none twice", () => {
    fc.assert(
      fc.property(anyChoice, ([gpus, count]) => {
        const chosen = chooseGpus(gpus, count);
        expect(new Set(chosen).size).toBe(count);
        expect(gpus.map((gpu) => gpu.address)).toEqual(expect.arrayContaining(chosen));
      }),
    );
  });

  it("never span more nodes than they must", () => {
    fc.assert(
      fc.property(anyChoice, ([gpus, count]) => {
        const sizes = [...Map.groupBy(gpus, (gpu) => gpu.numaNode).values()].map((node) => node.length);
        let fewest = 0;
        for (let room = 0; room < count; fewest += 1) room += sizes.sort((a, b) => b - a)[fewest] ?? 0;
        expect(nodesOf(chooseGpus(gpus, count)).size).toBe(fewest);
      }),
    );
  });

  it("are never fewer than asked for: that would be a fault of the program", () => {
    expect(() => chooseGpus(free("0a"), 2)).toThrow("BUG");
  });
});
