// The kinds of engines. The name of each is its key in lessor.yaml and in the control interface. Used by config.ts and
// config/file-schema.ts for the settings, by composition.ts and the operator's commands for the rest.
//
// Invariant: no other file lists the kinds. A new one is a line here and a folder
// (docs/contributing/adding-an-engine.md).

import { type Static, type TOptional, Type } from "typebox";
import type { Finding } from "./check/finding.ts";
import type { CheckOptions } from "./check/options.ts";
import type { Engine } from "./engine.ts";
import type { ImageImport } from "./images/image-import.ts";
import { incus } from "./incus/kind.ts";
import type { EngineKind, EngineResources, SettingsFile } from "./kind.ts";
import { libvirt } from "./libvirt/kind.ts";
import { openstack } from "./openstack/kind.ts";
import { refuseSharedNames } from "./settings/engine-names.ts";
import { simulated } from "./simulated/kind.ts";

const listed = { simulated, incus, libvirt, openstack };

export type EngineKindName = keyof typeof listed;

type Schemas = { readonly [Kind in EngineKindName]: (typeof listed)[Kind]["schema"] };
type Settings = { readonly [Kind in EngineKindName]: ReturnType<(typeof listed)[Kind]["resolve"]>[number] };

/** `listed`, typed so that the compiler connects each kind's settings with its engine. */
const kinds: { readonly [Kind in EngineKindName]: EngineKind<Schemas[Kind], Settings[Kind]> } = listed;

// Object.keys and Object.fromEntries do not keep the key types.
export const engineKindNames = Object.keys(listed) as EngineKindName[];

/** The schema of each kind's section in lessor.yaml. */
export const engineSchemas = Object.fromEntries(
  engineKindNames.map((kind) => [kind, Type.Optional(kinds[kind].schema)]),
) as { readonly [Kind in EngineKindName]: TOptional<Schemas[Kind]> };

/** One configured engine. Its name is unique among all kinds. */
export type ConfiguredEngine<Kind extends EngineKindName = EngineKindName> = {
  [Each in Kind]: { readonly kind: Each; readonly settings: Settings[Each] };
}[Kind];

/** The sections of lessor.yaml, by kind. */
export type EngineFileSettings = { readonly [Kind in EngineKindName]?: Static<Schemas[Kind]> | undefined };

/** Every configured engine, kind by kind. Throws ConfigError. */
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

/** Preloads the engines' code, a tenth of a second per kind, while the database starts. */
export async function loadEngines(engines: readonly ConfiguredEngine[]): Promise<void> {
  await Promise.all(engines.map(({ kind }) => kinds[kind].load()));
}

/** Opens the engine; loads its code if needed. */
export function openEngine<Kind extends EngineKindName>(
  { kind, settings }: ConfiguredEngine<Kind>,
  resources: EngineResources,
): Promise<Engine> {
  return kinds[kind].open(settings, resources);
}

/** An engine with hardware, as the operator's commands use it. */
export interface EngineWithHardware {
  readonly name: string;
  readonly check: (options: CheckOptions, signal: AbortSignal) => AsyncIterable<Finding>;
  readonly importImage: (order: ImageImport, signal: AbortSignal) => Promise<void>;
}

/** Undefined if the engine has no hardware. */
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

/** Example configurations of engines with hardware, by kind. */
export const hardwareExamples = engineKindNames.flatMap((kind) => kinds[kind].hardware?.example ?? []);
