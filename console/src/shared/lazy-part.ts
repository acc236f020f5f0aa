// Parts of the console whose code is loaded when they are first shown: pages, charts, the terminal. A failed load is an
// error of its own, so that page-boundary.tsx can tell a lost connection from a defect.

import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/** Code that could not be loaded: the connection is down, or a newer console has replaced it. */
export class CodeNotLoaded extends Error {}

/** Throws CodeNotLoaded while it is rendered if its code cannot be loaded. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loaded(load) }));
}

/** What `load` loads. Throws CodeNotLoaded. */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw new CodeNotLoaded("The code of this page could not be loaded.", { cause });
  }
}
