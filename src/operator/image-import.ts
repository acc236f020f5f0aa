// `lessor image import <file> --cluster <name> --alias <alias>`: brings an image onto a cluster under a name that the
// catalogue can use.

import { ImportError, type Imported, importImage } from "../engines/incus/index.ts";
import { interruptible } from "./interrupt.ts";
import { clusterNamed, configuredClusters, OperatorError, type Surroundings } from "./surroundings.ts";

export interface ImageImportOrder {
  readonly file: string;
  /** Undefined: the only one there is. */
  readonly cluster: string | undefined;
  readonly alias: string;
  readonly replace: boolean;
}

/** Prints what was done. Throws ConfigError, OperatorError, Interrupted, and what the cluster's API makes of it. */
export async function imageImport(order: ImageImportOrder, surroundings: Surroundings): Promise<void> {
  const { print, tell, status } = surroundings;
  const settings = chosen(order.cluster, surroundings);
  const { file, alias, replace } = order;
  const onProgress = (at: "reading" | "sending", done: number, all: number) =>
    status.show(`${at} ${Math.floor((done / all) * 100)} % of ${megabytes(all)}`);
  try {
    const imported = await interruptible(
      (signal) => importImage({ settings, file, alias, replace, onProgress }, signal),
      () => tell("Interrupted."),
    );
    status.clear();
    for (const line of told(imported, order.alias, settings.name)) print(line);
    if (imported.kind !== undefined && imported.kind !== settings.kind) {
      tell(
        `Note: it is a ${imported.kind} image, and the machines of ${settings.name} are of the kind ${settings.kind}.`,
      );
    }
  } catch (error) {
    status.clear();
    if (error instanceof ImportError) throw new OperatorError(error.message);
    throw error;
  }
}

function chosen(name: string | undefined, surroundings: Surroundings) {
  const clusters = configuredClusters(surroundings);
  if (name !== undefined) return clusterNamed(clusters, name);
  const [only, ...others] = clusters;
  if (only !== undefined && others.length === 0) return only;
  throw new OperatorError(`Say which cluster: --cluster ${clusters.map((cluster) => cluster.name).join(" or ")}.`);
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

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
