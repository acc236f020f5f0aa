// File systems: persistent volumes of an account. How they go with a launch is in launching/file-systems.test.ts.

import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { RentalError } from "../errors.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";
import { deleteFileSystem, fileSystemsById, fileSystemsByName, listFileSystems } from "./file-systems.ts";

const world = worldOfFile();
let principal: Principal;
beforeEach(async () => {
  await world.region("north");
  principal = await world.account();
});

const create = (name: string, spec: { region?: string; sizeGb?: number } = {}, who = principal) =>
  world.fileSystem(who, { name, ...spec });
const remove = (id: string, who = principal) => world.tx((tx) => deleteFileSystem(tx, who, id));

describe("a file system", () => {
  it("is listed as it was made, attached to nothing", async () => {
    const made = await create("data", { sizeGb: 250 });
    expect(made).toMatchObject({ name: "data", region: "north", sizeGb: 250, attachedTo: [] });
    expect(await listFileSystems(world.db, principal)).toEqual([made]);
    expect(await listFileSystems(world.db, await world.account())).toEqual([]);
  });

  it("is told by an event when it is made and when it is deleted, and counted as long as it is there", async () => {
    const { id } = await create("data");
    expect(await booksDisagree(world.db)).toEqual([]);
    await remove(id);
    const events = await world.db.selectFrom("events").selectAll().orderBy("position").execute();
    expect(events.map((event) => [event.type, event.subject_id])).toEqual([
      ["file_system.created", id],
      ["file_system.deleted", id],
    ]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("has a name that is safe as a directory under /mnt", async () => {
    for (const name of ["a", "A.b_c-d", "_x", "x".repeat(64)]) expect((await create(name)).name).toBe(name);
    for (const name of ["", ".", "..", ".hidden", "-rf", "a/b", "a b", "a\n", "ä", "x".repeat(65)]) {
      const { fields } = await changingNothing(world.db, () => refusal("invalid-parameters", create(name)));
      expect(Object.keys(fields)).toEqual(["name"]);
    }
  });

  it("has a size of at least one whole gigabyte", async () => {
    for (const sizeGb of [0, -5, 1.5, 3_000_000_000, Number.NaN]) {
      const { fields } = await refusal("invalid-parameters", create("data", { sizeGb }));
      expect(Object.keys(fields)).toEqual(["size_gb"]);
    }
  });

  it("is in a region that there is", async () => {
    const { fields } = await refusal("unknown-name", create("data", { region: "nowhere" }));
    expect(Object.keys(fields)).toEqual(["region"]);
  });

  it("is refused where the account has one of this name, also in another region; other accounts may", async () => {
    await world.region("south");
    await create("data");
    await changingNothing(world.db, () => refusal("duplicate", create("data", { region: "south" })));
    await create("data", {}, await world.account());
  });

  it("is refused beyond the quota, and then it is not there", async () => {
    principal = await world.account({ quotas: { file_systems: 1 } });
    await create("one");
    expect(await changingNothing(world.db, () => refusal("quota-exceeded", create("two")))).toEqual({
      what: "file_systems",
      limit: 1,
      used: 1,
      requested: 1,
    });
  });

  it("of one name is made once, though ten ask at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create("wanted")));
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(refused.filter((error) => error instanceof RentalError && error.kind === "duplicate")).toHaveLength(9);
    expect(await booksDisagree(world.db)).toEqual([]);
  });
});

describe("deleting a file system", () => {
  it("is refused while it is attached, and says to which instance", async () => {
    await world.image();
    await world.host({ gpus: 1 });
    const product = await world.product();
    const { id } = await create("data");
    const instance = await world.launchOne(principal, { instanceType: product.name, fileSystemNames: ["data"] });
    const told = await changingNothing(world.db, () => refusal("file-system-in-use", remove(id)));
    expect(told).toEqual({ name: "data", attachedTo: instance.id });
  });

  it("that an instance had leaves its engine with the rest, and one that none had leaves nobody with anything", async () => {
    await world.image();
    await world.host({ gpus: 1 });
    const product = await world.product();
    const [one, two] = [await create("one"), await create("two")];
    const instance = await world.launchOne(principal, { instanceType: product.name, fileSystemNames: ["one"] });
    await world.change(principal, "terminate", [instance.id]);
    await world.tx((tx) => recordObservation(tx, { id: instance.id, generation: 2 }, "removed", {}));
    for (const { id } of [one, two]) await remove(id);
    const left = await world.db.selectFrom("removed_file_systems").select(["id", "engine", "host"]).execute();
    expect(left).toEqual([{ id: one.id, engine: "simulated", host: null }]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("of an unknown id, or of another account's, is refused alike", async () => {
    const { id } = await create("data");
    const other = await world.account();
    for (const unknown of ["nonsense", "0198c0de-0000-7000-8000-000000000000"]) {
      expect(await refusal("unknown-object", remove(unknown))).toEqual({ what: "file system", ids: [unknown] });
    }
    await changingNothing(world.db, () => refusal("unknown-object", remove(id, other)));
    await remove(id.toUpperCase());
    expect(await listFileSystems(world.db, principal)).toEqual([]);
  });
});

describe("looking file systems up by id", () => {
  it("gives them in the order asked for, however the id is written, and names the first that is missing", async () => {
    const [a, b] = [await create("a"), await create("b")];
    const other = await create("c", {}, await world.account());
    const field = (id: string) => `field of ${id}`;
    const asked = [b.id.toUpperCase(), a.id.replaceAll("-", "")];
    expect(await fileSystemsById(world.db, principal, asked, field)).toEqual([b, a]);
    expect(await fileSystemsById(world.db, principal, [], field)).toEqual([]);
    for (const unknown of ["nonsense", other.id]) {
      const { fields } = await refusal("unknown-name", fileSystemsById(world.db, principal, [a.id, unknown], field));
      expect(Object.keys(fields)).toEqual([`field of ${unknown}`]);
    }
  });
});

describe("looking file systems up by name", () => {
  it("gives them in the order asked for, each once, and names the first that is missing", async () => {
    await create("a");
    await create("b");
    const names = async (...asked: string[]) =>
      (await fileSystemsByName(world.db, principal, asked, "field")).map((one) => one.name);
    expect(await names("b", "a", "b")).toEqual(["b", "a"]);
    expect(await names()).toEqual([]);
    expect((await refusal("unknown-name", names("a", "c"))).fields.field?.message).toContain('"c"');
  });

  it("page by page gives every one once, oldest first", async () => {
    for (const name of ["c", "a", "b"]) await create(name);
    const first = await listFileSystems(world.db, principal, { limit: 2 });
    const last = only(await listFileSystems(world.db, principal, { after: first.at(-1)?.id }));
    expect([...first, last].map((one) => one.name)).toEqual(["c", "a", "b"]);
  });
});
