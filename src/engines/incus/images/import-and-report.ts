// Imports an image and reports the result and the alias to the operator. Used by ../kind.ts.

import { type ImageImport, share } from "../../images/image-import.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { type Imported, importImage } from "./import-image.ts";

/** Throws as `importImage` does. */
export async function importAndReport(
  settings: IncusSettings,
  { file, alias, replace, report }: ImageImport,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (at: "reading" | "sending", done: number, all: number) =>
    report.progress(`${at} ${share(done, all)}`);
  const imported = await importImage({ settings, file, alias, replace, onProgress }, signal);
  for (const line of outcome(imported, alias, settings.name)) report.print(line);
  if (imported.kind !== undefined && imported.kind !== settings.kind) {
    report.tell(
      `Warning: the image is of the kind ${imported.kind}, but ${settings.name} runs machines of the kind ${settings.kind}.`,
    );
  }
}

function* outcome({ fingerprint, sent, alias, former }: Imported, name: string, cluster: string): Generator<string> {
  const short = fingerprint.slice(0, 12);
  yield sent ? `Imported image ${short} to ${cluster}.` : `Image ${short} already exists on ${cluster}.`;
  if (alias === "as it was") yield `The alias ${name} already points to it.`;
  else yield `The alias ${name} ${alias === "made" ? "points to it" : "was moved to it"}.`;
  if (former !== undefined) {
    yield `The previous image ${former.slice(0, 12)} still exists; existing machines do not need it.`;
  }
}
