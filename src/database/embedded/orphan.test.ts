import { execFileSync } from "node:child_process";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { stopOrphan } from "./orphan.ts";

/** More than any kernel gives. */
const nobodysId = 2 ** 31 - 2;
const rest = "\n/var/lib/lessor/postgres/data\n1760000000\n5432\n/tmp\n\n 7077893 0\nready\n";

async function leftBehind(): Promise<{ cluster: string; file: string }> {
  const cluster = await temporaryDirectory();
  const file = join(cluster, "postmaster.pid");
  writeFileSync(file, `${nobodysId}${rest}`, { mode: 0o600 });
  return { cluster, file };
}

describe("what a killed PostgreSQL left", () => {
  it("keeps its shared memory and loses its process id, of which somebody else may be the next owner", async () => {
    const { cluster, file } = await leftBehind();
    await stopOrphan(cluster, () => undefined);
    expect(readFileSync(file, "utf8")).toBe(`${2 ** 31 - 1}${rest}`);
  });

  it.runIf(process.getuid?.() === 0)("stays PostgreSQL's where the program is somebody else", async () => {
    const { cluster, file } = await leftBehind();
    chownSync(file, 65534, 65534);
    await stopOrphan(cluster, () => undefined);
    const { uid, gid, mode } = statSync(file);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 65534, gid: 65534, mode: 0o600 });
  });

  it("holds up nobody who may change no owner, as under the systemd unit", async () => {
    const { cluster, file } = await leftBehind();
    const refusing = `import fs from "node:fs/promises"; import { syncBuiltinESMExports } from "node:module";
      fs.chown = async () => { throw new Error("EPERM: operation not permitted, chown"); }; syncBuiltinESMExports();`;
    const program = `import { stopOrphan } from ${JSON.stringify(resolve(import.meta.dirname, "orphan.ts"))};
      await stopOrphan(${JSON.stringify(cluster)}, () => undefined);`;
    const preload = `data:text/javascript,${encodeURIComponent(refusing)}`;
    execFileSync(process.execPath, ["--import", preload, "--input-type=module", "--eval", program]);
    expect(readFileSync(file, "utf8")).toMatch(/^2147483647\n/);
  });

  it("is removed where it names nobody: a machine that went down left it empty", async () => {
    const { cluster, file } = await leftBehind();
    writeFileSync(file, "");
    await stopOrphan(cluster, () => undefined);
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });
});
