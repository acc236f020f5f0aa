import { expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { imageSource } from "./images.ts";

it("an image is what the settings say of it, or has the catalog's name", () => {
  const images = { "debian-12": { kind: "id", id: "1" } } as const;
  expect(imageSource(images, "debian-12")).toEqual({ kind: "id", id: "1" });
  expect(imageSource(images, "Ubuntu 24.04")).toEqual({ kind: "name", name: "Ubuntu 24.04" });
  expect(imageSource(images, "constructor")).toEqual({ kind: "name", name: "constructor" });
});

it("of several with the name the newest is started that is ready", async () => {
  const stand = await beginEngines();
  const newer = stand.world.addImage("Debian 12", stand.otherProject);
  stand.world.addImage("Debian 12", stand.otherProject, { status: "queued", bytes: undefined });
  const spec = stand.spec();
  await booted(stand.engine, spec);
  expect(serverOf(stand, spec).image).toBe(newer.id);
});

it("by its id it is started whatever its name", async () => {
  const stand = await beginEngines({}, (settings, { world, project }) => {
    const { id } = world.addImage("any", project, { visibility: "private" });
    return { ...settings, images: { "debian-12": { kind: "id", id } } };
  });
  const spec = stand.spec();
  await booted(stand.engine, spec);
  expect(stand.world.images.get(serverOf(stand, spec).image ?? "")?.name).toBe("any");
});

it("one that the cloud does not have is refused before anything is made", async () => {
  const stand = await beginEngines();
  const refused = { kind: "refused", code: "image-missing" };
  expect(await failure(stand.engine.create(stand.spec({ image: "none" }), signal()))).toMatchObject(refused);
  expect([stand.world.networks.ports.size, stand.world.flavors.size]).toEqual([0, 0]);
});
