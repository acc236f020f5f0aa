// The kinds of engines there are. The name of each is its key in lessor.yaml, and what the control interface calls it.
// Used by config.ts and config/file-schema.ts for the settings, by composition.ts and the operator's commands for the rest.
//
// Invariant: no other file lists the kinds. One more is a line here and a folder (docs/contributing/adding-an-engine.md).

import { type Static, type TOptional, Type } from "typebox";
import type { CheckOptions, Finding } from "./check/index.ts";
import type { Engine } from "./engine.ts";
import type { ImageImport } from "./images/image-import.ts";
import { incus } from "./incus/kind.ts";
import type { EngineKind, EngineResources, SettingsFile } from "./kind.ts";
import { libvirt } from "./libvirt/kind.ts";
import { refuseSharedNames } from "./settings/engine-names.ts";
import { simulated } from "./simulated/kind.ts";

const listed = { simulated, incus, libvirt };

export type EngineKindName = keyof typeof listed;

type Schemas = { readonly [Kind in EngineKindName]: (typeof listed)[Kind]["schema"] };
type Settings = { readonly [Kind in EngineKindName]: ReturnType<(typeof listed)[Kind]["resolve"]>[number] };

/** `listed` again, in the form in which the compiler follows one kind from its settings to its engine. */
const kinds: { readonly [Kind in EngineKindName]: EngineKind<Schemas[Kind], Settings[Kind]> } = listed;

// Object.keys forgets which keys there are, and Object.fromEntries too.
export const engineKindNames = Object.keys(listed) as EngineKindName[];

/** What lessor.yaml may hold of engines, by the name of the kind. */
export const engineSchemas = Object.fromEntries(
  engineKindNames.map((kind) => [kind, Type.Optional(kinds[kind].schema)]),
) as { readonly [Kind in EngineKindName]: TOptional<Schemas[Kind]> };

/** One engine of the configuration. Its name is unique among all of them. */
export type ConfiguredEngine<Kind extends EngineKindName = EngineKindName> = {
  [Each in Kind]: { readonly kind: Each; readonly settings: Settings[Each] };
}[Kind];

/** What lessor.yaml holds of engines, by the name of the kind. */
export type EngineFileSettings = { readonly [Kind in EngineKindName]?: Static<Schemas[Kind]> | undefined };

/** Every engine that is configured, kind by kind. Throws ConfigError. */
export function resolveEngines(settings: EngineFileSettings, file: SettingsFile): readonly ConfiguredEngine[] {
  const lists = engineKindNames.flatMap((kind) => {
    const list = settings[kind];
    return Array.isArray(list) ? [[kind, list] as const] : [];
  });
  refuseSharedNames(new Map(lists), file.name);
  return engineKindNames.flatMap((kind) => resolveKind(kind, settings[kind], file));
}

function resolveKind<Kind extends EngineKindName>(
  kind: Kind,
  settings: EngineFileSettings[Kind],
  file: SettingsFile,
): readonly ConfiguredEngine<Kind>[] {
  return kinds[kind].resolve(settings, file).map((one) => ({ kind, settings: one }));
}

/** Loads what these engines are made of: a tenth of a second for each kind, which may pass while the database starts. */
export async function loadEngines(engines: readonly ConfiguredEngine[]): Promise<void> {
  await Promise.all(engines.map(({ kind }) => kinds[kind].load()));
}

/** Makes the engine; loads what it is made of, where that has not been done yet. */
export function openEngine<Kind extends EngineKindName>(
  { kind, settings }: ConfiguredEngine<Kind>,
  resources: EngineResources,
): Promise<Engine> {
  return kinds[kind].open(settings, resources);
}

/** An engine with hardware behind it, as the operator's commands work with it. */
export interface EngineWithHardware {
  readonly name: string;
  /** As EngineHardware says. */
  readonly check: (options: CheckOptions, signal: AbortSignal) => AsyncIterable<Finding>;
  readonly importImage: (order: ImageImport, signal: AbortSignal) => Promise<void>;
}

/** Undefined where there is no hardware behind the engine. */
export function withHardware<Kind extends EngineKindName>({
  kind,
  settings,
}: ConfiguredEngine<Kind>): EngineWithHardware | undefined {
  const { hardware } = kinds[kind];
  return (
    hardware && {
      name: settings.name,
      check: (options, signal) => hardware.check(settings, options, signal),
      importImage: (order, signal) => hardware.importImage(settings, order, signal),
    }
  );
}

/** How engines with hardware are configured, kind by kind. */
export const hardwareExamples = engineKindNames.flatMap((kind) => kinds[kind].hardware?.example ?? []);
