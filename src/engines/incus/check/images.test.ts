import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand, imageFingerprint } from "../../../../test/support/check-stand.ts";
import type { IncusImageSource } from "../settings/image.ts";
import { checkImages } from "./images.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const told = (images: Record<string, IncusImageSource>) => stand.run(checkImages, { settings: { images } });
const first = async (images: Record<string, IncusImageSource>) => (await told(images))[0];
const debian = { debian: { kind: "alias", alias: "debian-12" } } as const;

describe("an image of the settings", () => {
  it("that is there by alias or fingerprint is told with what it is", async () => {
    const line = "ok image debian: abababababab, container, x86_64, 113 MB";
    expect(await first(debian)).toBe(line);
    expect(await first({ debian: { kind: "fingerprint", fingerprint: imageFingerprint } })).toBe(line);
  });

  it("that is missing tells how it is imported", async () => {
    expect(await first({ "debian-13": { kind: "alias", alias: "debian-13" } })).toBe(
      "problem image debian-13: not on the cluster -> lessor image import <file> --cluster lab --alias debian-13",
    );
    expect(await first({ newest: { kind: "alias", alias: "debian-13" } })).toMatch(/by the alias debian-13 -> /);
    expect(await first({ old: { kind: "fingerprint", fingerprint: "cd".repeat(32) } })).toMatch(
      /^problem image old: there is no image with the fingerprint cdcdcdcdcdcd -> .*correct its fingerprint/,
    );
  });

  it("of the other kind is a problem", async () => {
    stand.answer(`/1.0/images/${imageFingerprint}`, { fingerprint: imageFingerprint, type: "virtual-machine" });
    expect(await first(debian)).toBe(
      "problem image debian: is a virtual-machine image, and kind is container -> import a container image, or set kind: virtual-machine (for the whole cluster)",
    );
  });

  it("for another processor than a member's is warned of", async () => {
    stand.answer("/1.0/cluster/members", [
      { server_name: "m1", architecture: "x86_64" },
      { server_name: "m2", architecture: "aarch64" },
    ]);
    expect(await first(debian)).toMatch(/^warning image debian: is for x86_64, and cannot run on m2 \(aarch64\)/);
  });

  it("of an image server is left to the cluster", async () => {
    const server = {
      kind: "server",
      alias: "debian/12",
      server: "https://images.example.com",
      protocol: "lxd",
    } as const;
    expect(await first({ debian: server })).toMatch(/^ok image debian: .*downloads from https:\/\/images.example.com/);
  });
});

describe("settings without images", () => {
  it("are fine where the cluster has aliases of that kind, for the catalogue to name", async () => {
    expect(await told({})).toEqual(["ok images: aliases on the cluster that the catalog can use: debian-12"]);
  });

  it("are a problem where it has none", async () => {
    stand.answer("/1.0/images/aliases", [{ name: "debian-12", type: "virtual-machine" }]);
    expect(await told({})).toEqual([
      "problem images: there is no container image on the cluster, and images lists none -> lessor image import <file> --cluster lab --alias <alias>",
    ]);
  });
});
