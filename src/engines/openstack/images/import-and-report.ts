// Imports an image into Glance and reports to the operator where it is. Used by the engine's kind.

import { type ImageImport, share } from "../../images/image-import.ts";
import type { OpenStackSettings } from "../settings/settings.ts";
import { importImage } from "./import-image.ts";

/** Throws as `importImage` does. */
export async function importAndReport(
  settings: OpenStackSettings,
  { file, alias, replace, report }: ImageImport,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (at: string, done: number, all: number) => report.progress(`${at} ${share(done, all)}`);
  const all = await importImage({ settings, file, alias, replace, onProgress }, signal);
  for (const { region, id, name, sent, former } of all) {
    const where = region === undefined ? settings.name : `${settings.name} (${region})`;
    report.print(sent ? `Imported image ${id} to ${where}.` : `Image ${id} already exists on ${where}.`);
    for (const other of former) {
      report.print(`The previous image ${other.id} is now called ${other.name}; it had the name ${name}.`);
    }
  }
  report.print(`Use it in the catalog as ${alias}.`);
}
