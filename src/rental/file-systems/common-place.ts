// Where an instance must be to have all of its file systems. Used by a launch, before it searches for capacity.

import { invalid } from "../errors.ts";
import type { FileSystem, Pin } from "./file-systems.ts";

/** A place that an instance is bound to, and the file system that binds it. */
export interface Binding extends Pin {
  readonly fileSystem: string;
}

/**
 * The narrowest place of all file systems; undefined: none was ever attached, so they follow the instance. Throws
 * RentalError invalid-parameters with `field` if two are in different places.
 */
export function commonPlace(fileSystems: readonly FileSystem[], field: string): Binding | undefined {
  const bindings = fileSystems.flatMap(({ name, pin }) => (pin === undefined ? [] : [{ ...pin, fileSystem: name }]));
  const narrowest = bindings.find(({ host }) => host !== undefined) ?? bindings[0];
  if (narrowest === undefined) return undefined;
  const apart = bindings.find(
    ({ engine, host }) => engine !== narrowest.engine || (host !== undefined && host !== narrowest.host),
  );
  if (apart === undefined) return narrowest;
  // Without host names, which are internal to the operator.
  const both = `${narrowest.fileSystem} and ${apart.fileSystem}`;
  throw invalid(field, `File systems ${both} are on different hosts: no instance can attach both.`);
}
