// Imports an image to every host of an engine and reports which hosts have it. Used by ../kind.ts.

import { type ImageImport, share } from "../../images/image-import.ts";
import { ImportError } from "../../images/import-error.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { type HostImport, importVolume } from "./import-volume.ts";

/** Throws as `importVolume`, and ImportError if a host does not have the image at the end. */
export async function importAndReport(
  settings: LibvirtSettings,
  { file, alias, replace, report }: ImageImport,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (host: string, done: number, all: number) =>
    report.progress(`sending to ${host}: ${share(done, all)}`);
  const onHost = ({ host, volume, outcome }: HostImport) => {
    if (outcome === "sent") report.print(`Imported volume ${volume} to ${host}.`);
    else if (outcome === "was there") report.print(`Volume ${volume} already exists on ${host}.`);
    else report.tell(`${host} failed: ${outcome.failed}.`);
  };
  const outcomes = await importVolume({ settings, file, alias, replace, onProgress, onHost }, signal);
  const failed = outcomes.filter(({ outcome }) => typeof outcome === "object").length;
  if (failed === 0) return report.print(`Use it in the catalog as ${alias}.`);
  throw new ImportError(
    `The import failed on ${failed} of ${outcomes.length} hosts. Fix the problem and import again; hosts that have the image are skipped.`,
  );
}
