// Whether the file that an operator names can be read as one at all. Used by each engine's import.

import { stat } from "node:fs/promises";
import { ImportError } from "./import-error.ts";

/** In bytes, more than 0. Throws ImportError. */
export async function fileSize(file: string): Promise<number> {
  let problem: string;
  try {
    // Before it is opened: to open a pipe would wait for somebody at its other end.
    const stats = await stat(file);
    if (stats.isFile() && stats.size > 0) return stats.size;
    problem = stats.isFile() ? "it is empty" : "it is not a file";
  } catch (error) {
    problem = error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  throw new ImportError(`${file} cannot be read: ${problem}.`);
}
