// Where an instance has to be to have all of its file systems. Used by a launch, before it looks for room.

import { invalid } from "../errors.ts";
import type { FileSystem, Pin } from "./file-systems.ts";

/** A place that an instance is bound to, and the file system that binds it. */
export interface Binding extends Pin {
  readonly fileSystem: string;
}

/**
 * The narrowest place where all of them are; undefined: none was ever attached, and they go where the instance goes.
 * Throws RentalError invalid-parameters with `field` where two are in different places.
 */
export function commonPlace(fileSystems: readonly FileSystem[], field: string): Binding | undefined {
  const bindings = fileSystems.flatMap(({ name, pin }) => (pin === undefined ? [] : [{ ...pin, fileSystem: name }]));
  const narrowest = bindings.find(({ host }) => host !== undefined) ?? bindings[0];
  if (narrowest === undefined) return undefined;
  const apart = bindings.find(
    ({ engine, host }) => engine !== narrowest.engine || (host !== undefined && host !== narrowest.host),
  );
  if (apart === undefined) return narrowest;
  // Without their hosts' names, which are the operator's own affair.
  const both = `${narrowest.fileSystem} and ${apart.fileSystem}`;
  throw invalid(field, `File systems ${both} are on different hosts: no instance can attach both.`);
}
