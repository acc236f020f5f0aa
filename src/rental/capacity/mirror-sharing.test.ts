// Many callers at once: they share looks at the database, and yet none gets numbers older than its call.

import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import type { InstanceType } from "../instances/instance.ts";
import { CapacityCache } from "./cache.ts";

const world = worldOfFile();
let product: InstanceType;
beforeEach(async () => {
  product = await world.product({ gpus: 0 });
});

/** Counts the mirror's looks, and holds back their answers while it is shut. */
class Gate implements KyselyPlugin {
  looks = 0;
  running = 0;
  mostAtOnce = 0;
  fail = false;
  #open = Promise.withResolvers<void>();

  constructor() {
    this.#open.resolve();
  }

  shut(): void {
    this.#open = Promise.withResolvers<void>();
  }

  open(): void {
    this.#open.resolve();
  }

  transformQuery(args: PluginTransformQueryArgs) {
    this.looks += 1;
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    return args.node;
  }

  async transformResult(args: PluginTransformResultArgs) {
    await this.#open.promise;
    this.running -= 1;
    if (this.fail) throw new Error("lost");
    return args.result;
  }
}

function gatedMirror(): { gate: Gate; mirror: CapacityCache; look: () => Promise<number> } {
  const gate = new Gate();
  const mirror = new CapacityCache(world.db.withPlugin(gate));
  return { gate, mirror, look: async () => (await mirror.view([product])).get(product.name)?.get("north") ?? 0 };
}

describe("callers at the same time", () => {
  it("share one look", async () => {
    await world.host();
    const { gate, look } = gatedMirror();
    expect(await Promise.all(Array.from({ length: 50 }, look))).toEqual(Array.from({ length: 50 }, () => 8));
    expect(gate.looks).toBeLessThanOrEqual(2);
  });

  it("who come while a look is under way share the next, and see what was committed before they came", async () => {
    const { gate, look } = gatedMirror();
    gate.shut();
    const first = look();
    while (gate.running === 0) await Promise.resolve();
    await world.host();
    const later = [look(), look(), look()];
    gate.open();
    await first;
    expect(await Promise.all(later)).toEqual([8, 8, 8]);
    expect(gate.looks).toBe(2);
  });

  it("never have two looks at once, for an older one could then undo a younger one", async () => {
    const { gate, mirror } = gatedMirror();
    const askOneAfterTheOther = async (times: number) => {
      for (let n = 0; n < times; n++) await mirror.view([product]);
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => askOneAfterTheOther(10 + index)));
    expect(gate.mostAtOnce).toBe(1);
  });

  it("each see at least what they launched themselves, while all of them launch and look", async () => {
    await world.image();
    await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
    const principal = await world.account();
    const { look } = gatedMirror();
    const room = await look();
    let launched = 0;
    const rounds = Array.from({ length: 5 }, async () => {
      for (let n = 0; n < 5; n++) {
        await world.launch(principal, { instanceType: product.name });
        launched += 1;
        const acknowledged = launched;
        expect(await look()).toBeLessThanOrEqual(room - acknowledged);
      }
    });
    await Promise.all(rounds);
    expect(await look()).toBe(room - 25);
  });
});

describe("a look that fails", () => {
  it("fails for those who shared it, and the next one works again", async () => {
    await world.host();
    const { gate, look } = gatedMirror();
    gate.fail = true;
    const failed = await Promise.allSettled([look(), look()]);
    expect(failed.map((one) => one.status)).toEqual(["rejected", "rejected"]);
    gate.fail = false;
    expect(await look()).toBe(8);
  });

  it("loses nothing of what it would have shown", async () => {
    const { gate, look } = gatedMirror();
    expect(await look()).toBe(0);
    await world.host();
    gate.fail = true;
    await expect(look()).rejects.toThrow("lost");
    gate.fail = false;
    expect(await look()).toBe(8);
  });
});
