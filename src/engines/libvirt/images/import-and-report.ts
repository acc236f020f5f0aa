// Imports an image to every host of an engine and tells the operator which hosts have it. Used by ../kind.ts.

import { type ImageImport, share } from "../../images/image-import.ts";
import { ImportError } from "../../images/index.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { type HostImport, importVolume } from "./import-volume.ts";

/** Throws as `importVolume` does, and ImportError where a host does not have the image at the end. */
export async function importAndReport(
  settings: LibvirtSettings,
  { file, alias, replace, report }: ImageImport,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (host: string, done: number, all: number) =>
    report.progress(`sending to ${host}: ${share(done, all)}`);
  const onHost = ({ host, volume, outcome }: HostImport) => {
    if (outcome === "sent") report.print(`${host} has the volume ${volume} now.`);
    else if (outcome === "was there") report.print(`${host} has had the volume ${volume} already.`);
    else report.tell(`${host} does not have it: ${outcome.failed}.`);
  };
  const outcomes = await importVolume({ settings, file, alias, replace, onProgress, onHost }, signal);
  const failed = outcomes.filter(({ outcome }) => typeof outcome === "object").length;
  if (failed === 0) return report.print(`The catalogue can name it ${alias} now.`);
  throw new ImportError(
    `${failed} of ${outcomes.length} hosts do not have it. Import it again when that is mended: what is done is not done twice.`,
  );
}
