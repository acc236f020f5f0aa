// Hints of engines, and who has to wait because of one.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { begin } from "../support/interleave.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

it("a hint at an instance whose row somebody keeps locked keeps no other from being claimed", async () => {
  const host = await stage.host();
  const engine = stage.engine();
  const reconciler = stage.reconciler({}, engine);
  const { id } = await stage.launchOne();
  reconciler.poke();
  await reconciler.idle();
  expect(await stage.state(id)).toBe("active");
  await using other = await begin(stage.db);
  await sql`select from instances where id = ${id} for update`.execute(other.tx);
  await engine.changed({ id, host });
  const second = await stage.launchOne();
  reconciler.poke();
  await expect.poll(() => stage.state(second.id), { timeout: 8_000 }).toBe("active");
});
