// packaging/lessor.service and lessor.env: what an operator installs unread. Held to what the program needs of them, and,
// where systemd's own tools are there, to what they say.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { secretVariables } from "../../src/config.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { found, settingNames } from "./settings.ts";

const run = promisify(execFile);
const place = resolve(import.meta.dirname, "../../packaging");
const text = readFileSync(join(place, "lessor.service"), "utf8");

/** Every value of `key`, in order. A unit has one assignment a line, and lines that are comments. */
function all(key: string): string[] {
  const lines = text.split("\n").filter((line) => line.startsWith(`${key}=`));
  return lines.map((line) => line.slice(key.length + 1));
}

const environment = new Map(all("Environment").map((one) => one.split("=", 2) as [string, string]));

describe("the unit", () => {
  it("starts the installed command as an ordinary user, with settings that need not be there", () => {
    expect(all("ExecStart")).toEqual(["/usr/bin/lessor serve"]);
    expect(all("User")).toEqual(["lessor"]);
    expect(all("EnvironmentFile")).toEqual(["-/etc/lessor/lessor.env"]);
    expect([all("WorkingDirectory"), all("ConfigurationDirectory")]).toEqual([["/etc/lessor"], ["lessor"]]);
  });

  it("keeps data where the layout says, and nowhere else", () => {
    expect([environment.get("LESSOR_DATA_DIR"), all("StateDirectory")]).toEqual(["/var/lib/lessor", ["lessor"]]);
    expect([environment.get("NODE_COMPILE_CACHE"), all("CacheDirectory")]).toEqual(["/var/cache/lessor", ["lessor"]]);
    expect(all("ProtectSystem")).toEqual(["strict"]);
  });

  it("hands over each secret as a credential, and an empty one where there is none", () => {
    for (const name of secretVariables) {
      const path = environment.get(`${name}_FILE`);
      const credential = path?.replace(/^%d\//, "") ?? name;
      expect(path, name).toBe(`%d/${credential}`);
      expect(all("LoadCredential"), name).toContain(`${credential}:/etc/lessor/${credential}`);
      expect(all("SetCredential"), name).toContain(`${credential}:\\n`);
      expect(environment.has(name), name).toBe(false);
    }
  });

  it("sets nothing that the program does not know", () => {
    const known = new Set([...settingNames, ...secretVariables.map((name) => `${name}_FILE`), "NODE_COMPILE_CACHE"]);
    expect([...environment.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it("tells Lessor alone to stop, and gives it the time it takes", () => {
    expect(all("KillMode")).toEqual(["mixed"]);
    // Ten seconds are Lessor's own bound; drain_delay_seconds comes on top.
    expect(Number(all("TimeoutStopSec")[0])).toBeGreaterThanOrEqual(30);
    expect(all("KillSignal")).toEqual([]);
    expect(all("Restart")).toEqual(["on-failure"]);
  });

  it("leaves out what would keep Node from making machine code", () => {
    expect(all("MemoryDenyWriteExecute")).toEqual([]);
    expect(all("SystemCallFilter").join(" ")).toContain("@pkey");
  });
});

describe("lessor.env", () => {
  it("names settings of the environment, and no secret", () => {
    const names = [...readFileSync(join(place, "lessor.env"), "utf8").matchAll(/^#?([A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(names).toContain("LESSOR_DEMO");
    expect(names.filter((name) => !settingNames.includes(name ?? ""))).toEqual([]);
    expect(names.filter((name) => secretVariables.some((secret) => name?.startsWith(secret)))).toEqual([]);
  });
});

describe.runIf(await found("systemd-analyze"))("systemd's own tools", () => {
  it("find nothing to say against the unit", async () => {
    // A machine that tests this has no /usr/bin/lessor.
    const folder = await temporaryDirectory();
    writeFileSync(join(folder, "lessor"), "#!/bin/sh\n", { mode: 0o755 });
    const unit = join(folder, "lessor.service");
    writeFileSync(unit, text.replace("ExecStart=/usr/bin/lessor", `ExecStart=${join(folder, "lessor")}`));
    const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", unit]);
    const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("lessor.service"));
    expect(said).toEqual([]);
  });

  it("count it as safe: 2.0 of 10 at most", async () => {
    const unit = join(place, "lessor.service");
    const { stdout } = await run("systemd-analyze", [
      "security",
      "--offline=true",
      "--no-pager",
      "--threshold=20",
      unit,
    ]);
    expect(Number(/Overall exposure level for lessor.service: (\S+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(2);
  });
});
