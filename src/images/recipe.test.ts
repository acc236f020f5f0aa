import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { imageFileName, imageKinds, imageNames, type Recipe, recipeDigest, recipeOf } from "./recipe.ts";

const recipes = imageNames.flatMap((name) =>
  imageKinds.flatMap((kind): [string, Recipe][] => [
    [`${name}, ${kind}`, of(name, kind)],
    [`${name}, ${kind}, with metrics`, of(name, kind, true)],
  ]),
);

function of(name: string, kind: Recipe["kind"], metrics = false): Recipe {
  const recipe = recipeOf(name, kind, metrics);
  if (recipe === undefined) throw new Error(`${name} has no recipe of the kind ${kind}`);
  return recipe;
}

const scriptsOf = ({ scripts }: Recipe) => [...scripts.before, ...scripts.last];

describe.each(recipes)("the recipe of %s", (_, recipe) => {
  it("has scripts that are there, which a shell can read", () => {
    for (const script of scriptsOf(recipe)) {
      expect(existsSync(script)).toBe(true);
      expect(spawnSync("sh", ["-n", script.pathname], { encoding: "utf8" }).stderr).toBe("");
    }
  });

  it("has no script that would go to work on this machine itself where it is told no root", () => {
    for (const script of scriptsOf(recipe)) {
      expect(readFileSync(script, "utf8")).toMatch(/^set -eu\n# .*\nroot=\$\{1:\?\}$/m);
    }
  });

  it("has a digest that says when any of it was changed", () => {
    const other = new URL(import.meta.url);
    const digest = recipeDigest(recipe);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const { before, last } = recipe.scripts;
    for (const changed of [
      { ...recipe, packages: [...recipe.packages, "htop"] },
      { ...recipe, paths: [] },
      { ...recipe, scripts: { before, last: [...last, other] } },
      { ...recipe, scripts: { before: [...before, other], last } },
      { ...recipe, scripts: { before: [...before, ...last], last: [] } },
      { ...recipe, scripts: { before, last: [...last].reverse() } },
      { ...recipe, files: [...(recipe.files ?? []), other] },
    ]) {
      expect(recipeDigest(changed)).not.toBe(digest);
    }
  });
});

describe("the recipes of one image", () => {
  it("share what is common, and have digests of their own", () => {
    const container = of("debian-12", "container");
    const machine = of("debian-12", "virtual-machine");
    expect(recipeDigest(container)).not.toBe(recipeDigest(machine));
    expect(machine.packages).toEqual(expect.arrayContaining(["openssh-server", "cloud-init", "sudo"]));
    expect(container.packages.filter((name) => name.startsWith("linux-image"))).toEqual([]);
    expect(container.scripts.last.at(-1)).toEqual(machine.scripts.last.at(-1));
  });

  it("differ where only the kind does", () => {
    const container = of("debian-12", "container");
    const { disk } = { disk: { sizeMib: 1, espMib: 1, journalMib: 1 } };
    const { name, suite, packages, paths, scripts } = container;
    const same = { name, suite, packages, paths, scripts };
    const machine: Recipe = { ...same, kind: "virtual-machine", disk };
    expect(recipeDigest(machine)).not.toBe(recipeDigest({ ...machine, disk: { ...disk, sizeMib: 2 } }));
    expect(recipeDigest({ ...same, kind: "container", properties: {} })).not.toBe(recipeDigest(machine));
  });

  it("are for containers where nobody says otherwise", () => {
    expect(recipeOf("debian-12")).toBe(recipeOf("debian-12", "container"));
  });

  it("have the agent for metrics only where that is asked for", () => {
    const text = (recipe: Recipe) =>
      [...scriptsOf(recipe), ...(recipe.files ?? [])].map(({ pathname }) => pathname).join();
    for (const kind of imageKinds) {
      expect(text(of("debian-12", kind))).not.toContain("agent");
      expect(text(of("debian-12", kind, true))).toMatch(/debian-12-agent\.sh.*agent\.py/);
      expect(of("debian-12", kind, true).scripts.last.at(-1)).toEqual(of("debian-12", kind).scripts.last.at(-1));
    }
  });

  it("make files that say by their names what they are", () => {
    expect(imageKinds.map((kind) => imageFileName("debian-12", kind))).toEqual([
      "debian-12.tar.zst",
      "debian-12.qcow2",
    ]);
  });
});
