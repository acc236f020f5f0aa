// `lessor backup [-o FILE]`: a snapshot of the whole database in one file, whether the service runs or not.

import { resolve } from "node:path";
import { DraftError, writeWhole } from "../backup/draft.ts";
import { NothingThere } from "../backup/snapshot.ts";
import { type Written, writeBackup } from "../backup/write.ts";
import { type Config, loadConfig } from "../config.ts";
import { unreachable } from "../startup/problems.ts";
import { dataDirectoryOf, openExisting } from "./database.ts";
import { interruptible } from "./interrupt.ts";
import { OperatorError, type Surroundings } from "./surroundings.ts";

export interface BackupOrder {
  /** `-` is standard output; undefined: a name with the time, in the current directory. */
  readonly output?: string | undefined;
}

/** Reports on standard error what was written. Throws ConfigError, OperatorError, Interrupted, and what the database throws. */
export async function backup(order: BackupOrder, surroundings: Surroundings): Promise<void> {
  const { env, cwd, tell, status } = surroundings;
  const config = loadConfig({ env, cwd });
  const path = order.output === "-" ? undefined : resolve(cwd, order.output ?? fileName(new Date()));
  try {
    await interruptible(
      async (signal) => {
        await using database = await openExisting(config);
        const onTable = (name: string, rows: number) => status.show(`reading ${name}, ${rows} rows so far`);
        const parts = { url: database.url, signal, onTable };
        const written =
          path === undefined
            ? await writeBackup({ ...parts, destination: process.stdout })
            : await writeWhole(path, (destination) => writeBackup({ ...parts, destination }));
        status.clear();
        for (const line of told(written, path ?? "standard output", config)) tell(line);
      },
      () => tell("Interrupted."),
    );
  } catch (error) {
    if (error instanceof DraftError || error instanceof NothingThere) throw new OperatorError(error.message);
    throw config.databaseUrl === undefined ? error : unreachable(error);
  } finally {
    status.clear();
  }
}

function fileName(now: Date): string {
  return `lessor-${now.toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`;
}

function* told({ header, tables, rows, bytes }: Written, place: string, config: Config): Generator<string> {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  yield `Backed up ${rows} rows of ${tables} tables, as of ${header.takenAt}, to ${place} (${size}).`;
  if (header.keys.length === 0) return;
  const where =
    config.encryptionKeys === undefined ? `${dataDirectoryOf(config)}/encryption.key` : "LESSOR_ENCRYPTION_KEY";
  yield `The backup does not contain the encryption keys. It needs ${header.keys.join(", ")} of ${where}: store a copy separately.`;
}
