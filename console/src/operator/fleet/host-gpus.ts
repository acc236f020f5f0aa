// The GPUs of a host as forms have them, a row for each kind; and as a PUT takes them, one by one with their addresses.
// Invariant: a GPU that exists keeps its address and its NUMA node, and GPUs in use are removed last.

import { LessorError, type Shape } from "../../../../src/client/client.ts";
import { numberOf, type Typed } from "../../shared/number-inputs.tsx";

type Gpu = Shape<"Gpu">;

/** Equal GPUs, with the values of the inputs. */
export interface GpuRow {
  readonly key: number;
  readonly model: string;
  readonly memory: Typed;
  readonly count: Typed;
  /** Those that the host already has. */
  readonly found: readonly Gpu[];
}

/** One as a PUT takes it. */
export interface PutGpu {
  readonly address: string;
  readonly model: string;
  readonly memory_gib: number;
  readonly numa_node?: number;
}

/** The maximum of a host. */
const mostGpus = 64;

/** A row for each model and memory, in order of the first address. */
export function rowsOf(gpus: readonly Gpu[]): GpuRow[] {
  const kinds = Map.groupBy(gpus, ({ model, memory_gib }) => `${memory_gib} ${model}`);
  return [...kinds.values()].flatMap((found, key) =>
    found.slice(0, 1).map(({ model, memory_gib }) => ({ key, model, memory: memory_gib, count: found.length, found })),
  );
}

/** A row to be added, for a kind that the host does not have yet. */
export function newRow(rows: readonly GpuRow[]): GpuRow {
  const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
  return { key, model: "", memory: "", count: 1, found: [] };
}

/** The API has no field for a count, so the form checks it. */
export function countError(count: Typed): string | undefined {
  const is = numberOf(count);
  return Number.isInteger(is) && is >= 1 && is <= mostGpus ? undefined : `Enter a whole number from 1 to ${mostGpus}.`;
}

/**
 * The GPUs of a registered host, row by row; every count is valid. A new GPU gets the next free address, and the first NUMA
 * node until it has half of all, then the second, as in a catalog file.
 */
export function declaredGpus(rows: readonly GpuRow[]): PutGpu[][] {
  const kept = rows.map(({ found, count }) => keep(found, Number(count)));
  const taken = new Set(kept.flat().map(({ address }) => address));
  const half = rows.reduce((sum, { count }) => sum + Number(count), 0) / 2;
  let onFirstNode = kept.flat().filter(({ numa_node }) => numa_node === 0).length;
  const added = () => {
    const address = nextAddress(taken);
    taken.add(address);
    const numa_node = onFirstNode < half ? 0 : 1;
    if (numa_node === 0) onFirstNode++;
    return { address, numa_node };
  };
  return rows.map(({ model, memory, count }, index) => {
    const old = kept[index] ?? [];
    const fresh = Array.from({ length: Number(count) - old.length }, added);
    return [...old, ...fresh].map(({ address, numa_node }) => ({
      address,
      model,
      memory_gib: numberOf(memory),
      numa_node,
    }));
  });
}

/**
 * The GPUs that a PUT of a discovered host names, row by row: those whose row was changed, and those named before. Unchanged
 * memory stays as the engine found it.
 */
export function namedGpus(rows: readonly GpuRow[], former: Shape<"HostOverrides"> | null): PutGpu[][] {
  return rows.map(({ model, memory, found }) =>
    found.flatMap((gpu) => {
      const named = former?.gpus.find(({ address }) => address === gpu.address);
      const isNewMemory = memory === "" || Number(memory) !== gpu.memory_gib;
      if (named === undefined && !isNewMemory && model === gpu.model) return [];
      const memory_gib = isNewMemory ? numberOf(memory) : (named?.memory_gib ?? 0);
      return [{ address: gpu.address, model, memory_gib }];
    }),
  );
}

/** The errors of the service: `at` a field of a row, and `ofAll`. `lists` is what was sent, row by row. */
export function gpuErrors(error: Error | null, lists: readonly (readonly PutGpu[])[]) {
  const rows = lists.flatMap((list, row) => list.map(() => row));
  const placed = new Map<string, string>();
  let ofAll: string | undefined;
  for (const [name, { message }] of error instanceof LessorError ? Object.entries(error.fields) : []) {
    const [, index, field] = /^gpus[.[](\d+)\]?\.(model|memory_gib)$/.exec(name) ?? [];
    if (index !== undefined) placed.set(`${rows[Number(index)]} ${field}`, message);
    else if (/^gpus\b/.test(name)) ofAll ??= message;
  }
  return { at: (row: number, field: "model" | "memory_gib") => placed.get(`${row} ${field}`), ofAll };
}

/** This many, in their order; GPUs in use are kept first. */
function keep(gpus: readonly Gpu[], count: number): readonly Gpu[] {
  const isHeld = ({ held_by }: Gpu) => held_by !== null;
  const kept = new Set([...gpus.filter(isHeld), ...gpus.filter((gpu) => !isHeld(gpu))].slice(0, count));
  return gpus.filter((gpu) => kept.has(gpu));
}

/** As a catalog file numbers them: 0000:10:00.0 and so on. */
function nextAddress(taken: ReadonlySet<string>): string {
  for (let bus = 0x10; ; bus++) {
    const address = `0000:${bus.toString(16).padStart(2, "0")}:00.0`;
    if (!taken.has(address)) return address;
  }
}
