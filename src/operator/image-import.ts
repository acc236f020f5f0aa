// `lessor image import <file> --cluster <name> --alias <alias>`: brings an image onto a cluster, or to the hosts of a
// libvirt engine, under a name that the catalogue can use.

import type { IncusClusterSettings, LibvirtSettings } from "../config.ts";
import { ImportError } from "../engines/images/index.ts";
import { type Imported, importImage } from "../engines/incus/index.ts";
import { type HostImport, importVolume } from "../engines/libvirt/index.ts";
import { interruptible } from "./interrupt.ts";
import {
  type ConfiguredEngine,
  configuredEngines,
  engineNamed,
  OperatorError,
  type Surroundings,
} from "./surroundings.ts";

export interface ImageImportOrder {
  readonly file: string;
  /** An engine's name. Undefined: the only one there is. */
  readonly cluster: string | undefined;
  readonly alias: string;
  readonly replace: boolean;
}

/** Prints what was done. Throws ConfigError, OperatorError, Interrupted, and what the cluster's API makes of it. */
export async function imageImport(order: ImageImportOrder, surroundings: Surroundings): Promise<void> {
  const engine = chosen(order.cluster, surroundings);
  try {
    await interruptible(
      (signal) =>
        engine.kind === "incus"
          ? toCluster(engine.settings, order, surroundings, signal)
          : toHosts(engine.settings, order, surroundings, signal),
      () => surroundings.tell("Interrupted."),
    );
  } catch (error) {
    if (error instanceof ImportError) throw new OperatorError(error.message);
    throw error;
  } finally {
    surroundings.status.clear();
  }
}

function chosen(name: string | undefined, surroundings: Surroundings): ConfiguredEngine {
  const engines = configuredEngines(surroundings);
  if (name !== undefined) return engineNamed(engines, name);
  const [only, ...others] = engines;
  if (only !== undefined && others.length === 0) return only;
  throw new OperatorError(`Say which: --cluster ${engines.map((engine) => engine.name).join(" or ")}.`);
}

async function toCluster(
  settings: IncusClusterSettings,
  { file, alias, replace }: ImageImportOrder,
  { print, tell, status }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (at: "reading" | "sending", done: number, all: number) =>
    status.show(`${at} ${percent(done, all)} of ${megabytes(all)}`);
  const imported = await importImage({ settings, file, alias, replace, onProgress }, signal);
  status.clear();
  for (const line of told(imported, alias, settings.name)) print(line);
  if (imported.kind !== undefined && imported.kind !== settings.kind) {
    tell(
      `Note: it is a ${imported.kind} image, and the machines of ${settings.name} are of the kind ${settings.kind}.`,
    );
  }
}

function* told({ fingerprint, sent, alias, former }: Imported, name: string, cluster: string): Generator<string> {
  const short = fingerprint.slice(0, 12);
  yield sent ? `${cluster} has the image ${short} now.` : `${cluster} has had the image ${short} already.`;
  if (alias === "as it was") yield `The alias ${name} points to it already.`;
  else yield `The alias ${name} ${alias === "made" ? "points to it" : "was moved to it"}.`;
  if (former !== undefined) {
    yield `What it pointed to, ${former.slice(0, 12)}, is still there; machines that exist do not need it.`;
  }
}

/** Throws OperatorError where a host does not have it at the end. */
async function toHosts(
  settings: LibvirtSettings,
  { file, alias, replace }: ImageImportOrder,
  { print, tell, status }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (host: string, done: number, all: number) =>
    status.show(`sending to ${host}: ${percent(done, all)} of ${megabytes(all)}`);
  const onHost = ({ host, volume, outcome }: HostImport) => {
    status.clear();
    if (outcome === "sent") print(`${host} has the volume ${volume} now.`);
    else if (outcome === "was there") print(`${host} has had the volume ${volume} already.`);
    else tell(`${host} does not have it: ${outcome.failed}.`);
  };
  const outcomes = await importVolume({ settings, file, alias, replace, onProgress, onHost }, signal);
  const failed = outcomes.filter(({ outcome }) => typeof outcome === "object").length;
  if (failed === 0) return print(`The catalogue can name it ${alias} now.`);
  throw new OperatorError(
    `${failed} of ${outcomes.length} hosts do not have it. Import it again when that is mended: what is done is not done twice.`,
  );
}

function percent(done: number, all: number): string {
  return `${all === 0 ? 100 : Math.floor((done / all) * 100)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
