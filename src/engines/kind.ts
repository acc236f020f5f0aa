// A kind of engine: its settings in lessor.yaml, and how to open it, check it and import images. Each engine's folder
// has one (kind.ts); kinds.ts lists them.
//
// Invariant: a kind itself imports only its settings. The rest is loaded on demand, because an engine's code takes a
// tenth of a second to load and most installations use one kind.

import type { Static, TSchema } from "typebox";
import type { Database } from "../database/connect.ts";
import type { Finding } from "./check/finding.ts";
import type { CheckOptions } from "./check/options.ts";
import type { Engine } from "./engine.ts";
import type { ImageImport } from "./images/image-import.ts";

/** lessor.yaml: its name for messages, and the absolute directory that relative paths start from. */
export interface SettingsFile {
  readonly name: string;
  readonly directory: string;
}

/** What the service passes to every engine. */
export interface EngineResources {
  readonly db: Database;
  /** Labels what this service creates, so that an engine can tell it from other machines. */
  readonly installation: string;
}

export interface EngineKind<Schema extends TSchema, Settings extends { readonly name: string }> {
  /** The schema of the kind's section in lessor.yaml. */
  readonly schema: Schema;
  /**
   * The configured engines, in the order of the file, with defaults. `settings` have passed the schema; undefined: the
   * file has no such section. Throws ConfigError.
   */
  readonly resolve: (settings: Static<Schema> | undefined, file: SettingsFile) => readonly Settings[];
  /** Preloads what `open` needs. */
  readonly load: () => Promise<unknown>;
  /** Makes no request yet: an unreachable engine can be opened. */
  readonly open: (settings: Settings, resources: EngineResources) => Promise<Engine>;
  /** For operators with their own hardware; undefined: the engine has none. */
  readonly hardware?: EngineHardware<Settings>;
}

/** What `lessor engine check` and `lessor image import` do with an engine of the kind. */
export interface EngineHardware<Settings> {
  /** Yields findings as they come. Throws only the reason of `signal`, after its test instances are removed. */
  readonly check: (settings: Settings, options: CheckOptions, signal: AbortSignal) => AsyncIterable<Finding>;
  /** Reports what it does. Throws ImportError, the reason of `signal`, and what the engine's own client throws. */
  readonly importImage: (settings: Settings, order: ImageImport, signal: AbortSignal) => Promise<void>;
  /** For operators who have configured none. */
  readonly example: {
    /** A plural noun. */
    readonly what: string;
    /** A part of lessor.yaml. */
    readonly yaml: string;
  };
}
