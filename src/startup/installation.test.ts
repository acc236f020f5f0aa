import { expect, it } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { installationOf } from "./installation.ts";

const world = worldOfFile();

it("an installation has one name, also when several servers start at once, and keeps it", async () => {
  const names = await Promise.all(Array.from({ length: 5 }, () => installationOf(world.db)));
  expect(new Set([...names, await installationOf(world.db)]).size).toBe(1);
  expect(names[0]).toMatch(/^[0-9a-f-]{36}$/);
});

it("another database is another installation", async () => {
  const other = await freshDatabase();
  expect(await installationOf(other.db)).not.toBe(await installationOf(world.db));
  await other.close();
});
