// `lessor image import <file> --cluster <name> --alias <alias>`: imports an image to a cluster, or to the hosts of a
// libvirt engine, under a name that the catalog can use.

import { ImportError } from "../engines/images/import-error.ts";
import type { EngineWithHardware } from "../engines/kinds.ts";
import { interruptible } from "./interrupt.ts";
import { configuredEngines, engineNamed, OperatorError, type Surroundings } from "./surroundings.ts";

export interface ImageImportOrder {
  readonly file: string;
  /** An engine's name. Undefined: the only engine. */
  readonly cluster: string | undefined;
  readonly alias: string;
  readonly replace: boolean;
}

/** Prints the result. Throws ConfigError, OperatorError, Interrupted, and what the engine's client throws. */
export async function imageImport(order: ImageImportOrder, surroundings: Surroundings): Promise<void> {
  const engine = chosen(order.cluster, surroundings);
  const { print, tell, status } = surroundings;
  const beneath = (write: (line: string) => void) => (line: string) => {
    status.clear();
    write(line);
  };
  const report = { print: beneath(print), tell: beneath(tell), progress: status.show };
  try {
    await interruptible(
      (signal) => engine.importImage({ ...order, report }, signal),
      () => tell("Interrupted."),
    );
  } catch (error) {
    if (error instanceof ImportError) throw new OperatorError(error.message);
    throw error;
  } finally {
    status.clear();
  }
}

function chosen(name: string | undefined, surroundings: Surroundings): EngineWithHardware {
  const engines = configuredEngines(surroundings);
  if (name !== undefined) return engineNamed(engines, name);
  const [only, ...others] = engines;
  if (only !== undefined && others.length === 0) return only;
  throw new OperatorError(`Specify one: --cluster ${engines.map((engine) => engine.name).join(" or ")}.`);
}
