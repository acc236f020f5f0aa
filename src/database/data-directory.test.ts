import { chmod, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { checkoutDataDirectory, makeDirectory, packageDataDirectory } from "./data-directory.ts";

const asRoot = process.getuid?.() === 0;

async function closedCheckout(): Promise<string> {
  const checkout = join(await temporaryDirectory(), "checkout");
  await mkdir(checkout);
  return checkout;
}

describe("the default data directory of a package", () => {
  it("is the one of distributions for root, and in the home of everybody else, never in the package itself", () => {
    expect(packageDataDirectory(true, "/root")).toBe("/var/lib/lessor");
    expect(packageDataDirectory(false, "/home/ann")).toBe("/home/ann/.local/share/lessor");
  });
});

describe("the default data directory of a checkout", () => {
  it("is in this checkout, if PostgreSQL's user can get there", async () => {
    const checkout = await temporaryDirectory(0o755);
    expect(checkoutDataDirectory(checkout)).toBe(join(checkout, "data"));
  });

  it.runIf(!asRoot)("is in the checkout for an ordinary user even if nobody else can get there", async () => {
    const checkout = await closedCheckout();
    expect(checkoutDataDirectory(checkout)).toBe(join(checkout, "data"));
  });

  it.runIf(asRoot)("is one in /var/lib/lessor for each checkout that PostgreSQL's user cannot reach", async () => {
    const [one, other] = [await closedCheckout(), await closedCheckout()];
    expect(checkoutDataDirectory(one)).toMatch(/^\/var\/lib\/lessor\/[0-9a-f]{8}$/);
    expect(checkoutDataDirectory(one)).toBe(checkoutDataDirectory(one, ["nobody"]));
    expect(checkoutDataDirectory(one)).not.toBe(checkoutDataDirectory(other));
  });
});

describe("making a directory", () => {
  it("gives it its mode and lets others pass through the parents that had to be made, whatever the umask", async () => {
    const directory = join(await temporaryDirectory(), "a/b/c");
    const umask = process.umask(0o077);
    await makeDirectory(directory, 0o750).finally(() => process.umask(umask));
    expect((await stat(directory)).mode & 0o777).toBe(0o750);
    expect((await stat(join(directory, ".."))).mode & 0o777).toBe(0o711);
  });

  it("leaves one that exists as it is", async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o755);
    await makeDirectory(directory, 0o700);
    expect((await stat(directory)).mode & 0o777).toBe(0o755);
  });

  it("names the setting when it cannot", async () => {
    await expect(makeDirectory("/proc/lessor/data", 0o700)).rejects.toThrow(/needs \/proc\/lessor, .*LESSOR_DATA_DIR/);
  });
});
