// Where the program keeps what must survive it. The directory belongs to the program's user and nobody else may list
// it; `postgres/` inside belongs to the user PostgreSQL runs as (embedded/system-user.ts). Used by the lock, by the
// embedded server and by config.ts for the default.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { packaged } from "../packaged.ts";
import { databaseUser, firstClosedDirectory } from "./embedded/system-user.ts";

/** The data directory when none is set. */
export function defaultDataDirectory(): string {
  return packaged ? packageDataDirectory() : checkoutDataDirectory();
}

/**
 * Of a package, whose own folder an upgrade replaces: /var/lib/lessor for root, as distributions have it, otherwise
 * in the user's home.
 */
export function packageDataDirectory(asRoot = process.getuid?.() === 0, home = homedir()): string {
  return asRoot ? "/var/lib/lessor" : join(home, ".local/share/lessor");
}

/**
 * Of a checkout: `data` in it. As root PostgreSQL runs as a system user; if that user
 * cannot reach the checkout (say, it is in /root), then /var/lib/lessor/<hash of the checkout's path>, so that two
 * checkouts never share one.
 */
export function checkoutDataDirectory(checkout = ownCheckout, systemUsers?: readonly string[]): string {
  const beside = join(checkout, "data");
  const user = databaseUser(beside, systemUsers);
  if (!user || firstClosedDirectory(user, checkout) === undefined) return beside;
  return join("/var/lib/lessor", createHash("sha256").update(checkout).digest("hex").slice(0, 8));
}

const ownCheckout = resolve(import.meta.dirname, "../..");

/**
 * Makes the directory with `mode` unless it exists. Missing parents are made so that other users can pass through them
 * (0711), whatever the umask: PostgreSQL's user may have to. Throws, naming LESSOR_DATA_DIR, when it cannot.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    if (!existsSync(dirname(path))) await makeDirectory(dirname(path), 0o711);
    await mkdir(path, { mode });
    await chmod(path, mode); // the umask took from the mode
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return;
    if (cause instanceof DirectoryError) throw cause;
    throw new DirectoryError(`The data directory needs ${path}, which cannot be made; set LESSOR_DATA_DIR elsewhere.`, {
      cause,
    });
  }
}

class DirectoryError extends Error {}
