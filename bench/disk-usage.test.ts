import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { diskMb } from "./disk-usage.ts";

it("counts blocks, folders, and a file with two names once, as du does, and does not follow links", async () => {
  const folder = await temporaryDirectory();
  mkdirSync(join(folder, "deep/er"), { recursive: true });
  writeFileSync(join(folder, "deep/er/large"), Buffer.alloc(3_000_000, 1));
  writeFileSync(join(folder, "small"), "x");
  linkSync(join(folder, "deep/er/large"), join(folder, "again"));
  symlinkSync("/usr", join(folder, "elsewhere"));
  const [kib = ""] = execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t");
  expect(diskMb(folder)).toBeCloseTo((Number(kib) * 1024) / 1e6, 2);
  expect(diskMb(folder)).toBeGreaterThan(3);
  expect(diskMb(folder)).toBeLessThan(4);
});
