// What makes a kind of engine: the settings it takes in lessor.yaml, and how an engine of it is opened, checked and given
// images. Each engine's folder has one (kind.ts); kinds.ts lists them.
//
// Invariant: a kind itself brings only its settings. Whatever opens, checks or imports is loaded when it is asked for,
// because an engine's code takes a tenth of a second to load and most installations use one kind.

import type { Static, TSchema } from "typebox";
import type { Database } from "../database/connect.ts";
import type { CheckOptions, Finding } from "./check/index.ts";
import type { Engine } from "./engine.ts";
import type { ImageImport } from "./images/image-import.ts";

/** lessor.yaml: its name for messages, and the absolute directory in which relative paths start. */
export interface SettingsFile {
  readonly name: string;
  readonly directory: string;
}

/** What the service hands to every engine that it opens. */
export interface EngineResources {
  readonly db: Database;
  /** Marks what this service creates, so that an engine tells it from what others created. */
  readonly installation: string;
}

export interface EngineKind<Schema extends TSchema, Settings extends { readonly name: string }> {
  /** What lessor.yaml may hold under the name of the kind. */
  readonly schema: Schema;
  /**
   * The engines that are configured, in the order of the file, with defaults. `settings` have passed the schema; undefined:
   * the file says nothing of the kind. Throws ConfigError.
   */
  readonly resolve: (settings: Static<Schema> | undefined, file: SettingsFile) => readonly Settings[];
  /** Loads what `open` needs, so that it is there by then. */
  readonly load: () => Promise<unknown>;
  /** Asks the engine for nothing yet: one that cannot be reached is opened too. */
  readonly open: (settings: Settings, resources: EngineResources) => Promise<Engine>;
  /** For an operator with hardware of their own; undefined: there is none behind these engines. */
  readonly hardware?: EngineHardware<Settings>;
}

/** What `lessor engine check` and `lessor image import` do with an engine of the kind. */
export interface EngineHardware<Settings> {
  /** Yields findings as they come. Throws only the reason of `signal`, after its test instances are removed. */
  readonly check: (settings: Settings, options: CheckOptions, signal: AbortSignal) => AsyncIterable<Finding>;
  /** Reports what it does. Throws ImportError, the reason of `signal`, and what the engine's own client throws. */
  readonly importImage: (settings: Settings, order: ImageImport, signal: AbortSignal) => Promise<void>;
  /** For an operator who has configured none. */
  readonly example: {
    /** What is configured, in the plural. */
    readonly what: string;
    /** A piece of lessor.yaml. */
    readonly yaml: string;
  };
}
