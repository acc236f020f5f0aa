// The directory for the program's persistent data. It belongs to the program's user, and no other user may list it;
// `postgres/` inside belongs to the user PostgreSQL runs as (embedded/system-user.ts). Used by the lock, by the
// embedded server and by config.ts for the default.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { packaged } from "../packaged.ts";
import { databaseUser, firstClosedDirectory } from "./embedded/system-user.ts";

/** The default data directory. */
export function defaultDataDirectory(): string {
  return packaged ? packageDataDirectory() : checkoutDataDirectory();
}

/**
 * For a package, whose own folder an upgrade replaces: /var/lib/lessor for root, as is usual in distributions,
 * otherwise in the user's home.
 */
export function packageDataDirectory(asRoot = process.getuid?.() === 0, home = homedir()): string {
  return asRoot ? "/var/lib/lessor" : join(home, ".local/share/lessor");
}

/**
 * For a checkout: its `data`. As root PostgreSQL runs as a system user; if that user cannot reach the checkout (say, it
 * is in /root), then /var/lib/lessor/<hash of the checkout's path>, so that two checkouts never share one.
 */
export function checkoutDataDirectory(checkout = ownCheckout, systemUsers?: readonly string[]): string {
  const beside = join(checkout, "data");
  const user = databaseUser(beside, systemUsers);
  if (!user || firstClosedDirectory(user, checkout) === undefined) return beside;
  return join("/var/lib/lessor", createHash("sha256").update(checkout).digest("hex").slice(0, 8));
}

const ownCheckout = resolve(import.meta.dirname, "../..");

/**
 * Creates the directory with `mode` unless it exists. Missing parents are created so that other users can pass through
 * them (0711), whatever the umask: PostgreSQL's user may have to. Throws, naming LESSOR_DATA_DIR, if it cannot.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    if (!existsSync(dirname(path))) await makeDirectory(dirname(path), 0o711);
    await mkdir(path, { mode });
    await chmod(path, mode); // independent of the umask
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return;
    if (cause instanceof DirectoryError) throw cause;
    throw new DirectoryError(`The data directory needs ${path}, which cannot be made; set LESSOR_DATA_DIR elsewhere.`, {
      cause,
    });
  }
}

class DirectoryError extends Error {}
