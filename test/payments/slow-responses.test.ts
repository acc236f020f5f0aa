// A response of the provider that does not come, or never ends, holds up other payments for seconds only: here for one.

import { expect, it } from "vitest";
import { mostCallSeconds } from "../../src/payments/stripe/open-stripe.ts";
import { startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { worldOfFile } from "../support/world.ts";
import { automaticOf } from "./automatic.ts";

const world = worldOfFile();

it("is waited for ten seconds", () => {
  expect(mostCallSeconds).toBe(10);
});

it.each(["hang", "drip"] as const)(
  "of a charge (%s), and the charge is made once",
  { timeout: 60_000 },
  async (fate) => {
    await world.empty();
    const stripe = await startFakeStripe();
    const { tick, replica, save, turnOn, balance, intents, pass } = automaticOf(world, () => stripe);
    const [first, second] = [await world.account(), await world.account()];
    for (const one of [first, second]) {
      await save(one);
      await turnOn(one);
    }
    stripe.next(/POST .*confirm/, fate);
    expect(await tick(replica(undefined, 1))).toEqual(["the payment provider: unanswered (no response)"]);
    expect((await balance(first)) + (await balance(second))).toBe(5000);
    await pass(30);
    await tick();
    for (const one of [first, second]) expect([await balance(one), intents(one).length]).toEqual([5000, 1]);
  },
);
