// Launches of the openb trace that fill its hosts until as many GPUs were asked for as there are: what the service's
// placement allocates, against what the best order of the same launches could.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { Arena, type HostKind, typeOf } from "./arena.ts";
import { mostGpus } from "./most-gpus.ts";
import { randomNumbers, weighted } from "./random.ts";

export const traces = ["gpuspec33", "multigpu20", "multigpu50"] as const;
export type Trace = (typeof traces)[number];

export interface OpenbReport {
  /** Per cent of all GPUs. */
  readonly allocated: number;
  /** The most that any placement could have allocated, or more. */
  readonly most: number;
}

/** CPU in thousandths and memory in MiB throughout, as in the trace. */
interface Task {
  readonly gpus: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  /** Empty: any. */
  readonly models: readonly string[];
  readonly count: number;
}

/** Launches chosen by chance among the trace's tasks, each bound to one GPU model that it can have. */
export function replayOpenb(trace: Trace, seed: number): OpenbReport {
  const next = randomNumbers(seed);
  const kinds = hostKinds();
  const tasks = tasksOf(trace);
  const gpusOf = (model: string) =>
    kinds.filter((kind) => kind.model === model).reduce((sum, kind) => sum + kind.count * sizeOf(kind), 0);
  const models = [...new Set(kinds.map(({ model }) => model))].map((model) => ({ model, gpus: gpusOf(model) }));
  const possible = new Map(tasks.map((task) => [task, models.filter(({ model }) => canHold(kinds, model, task))]));
  const placeable = tasks.filter((task) => (possible.get(task) ?? []).length > 0);
  const types = placeable.flatMap((task) => (possible.get(task) ?? []).map(({ model }) => productOf(task, model)));
  const arena = new Arena(kinds, types);
  const all = models.reduce((sum, { gpus }) => sum + gpus, 0);
  const asked: InstanceType[] = [];
  const placed: InstanceType[] = [];
  let askedGpus = 0;
  while (askedGpus < all) {
    const task = weighted(next, placeable, ({ count }) => count);
    const { model } = weighted(next, possible.get(task) ?? [], ({ gpus }) => gpus);
    const product = productOf(task, model);
    asked.push(product);
    askedGpus += product.gpus;
    if (arena.launch(product) !== undefined) placed.push(product);
  }
  const allocated = gpusIn(placed);
  const most = models.reduce((sum, { model }) => {
    return sum + mostGpus(ofModel(asked, model), kindsOf(kinds, model), gpusIn(ofModel(placed, model)));
  }, 0);
  return { allocated: (100 * allocated) / all, most: (100 * most) / all };
}

const gpusIn = (products: readonly InstanceType[]) => products.reduce((sum, { gpus }) => sum + gpus, 0);
const ofModel = (asked: readonly InstanceType[], model: string) => asked.filter(({ gpuModel }) => gpuModel === model);
const kindsOf = (kinds: readonly HostKind[], model: string) => kinds.filter((kind) => kind.model === model);
const sizeOf = ({ gpusByNode }: HostKind): number => gpusByNode.reduce((sum, count) => sum + count, 0);

function canHold(kinds: readonly HostKind[], model: string, { gpus, vcpus, memoryGib, models }: Task): boolean {
  if (gpus === 0 || (models.length > 0 && !models.includes(model))) return false;
  return kindsOf(kinds, model).some(
    (kind) => sizeOf(kind) >= gpus && kind.vcpus >= vcpus && kind.memoryGib >= memoryGib,
  );
}

function productOf({ gpus, vcpus, memoryGib }: Task, gpuModel: string): InstanceType {
  return typeOf({ name: `${gpuModel}-${gpus}-${vcpus}-${memoryGib}`, gpuModel, gpus, vcpus, memoryGib });
}

function hostKinds(): HostKind[] {
  return rowsOf("nodes.csv").map(([cpu = "", memory = "", gpus = "", model = "", count = ""]) => ({
    model,
    // Two sockets where there are enough GPUs for both.
    gpusByNode: Number(gpus) < 4 ? [Number(gpus)] : [Number(gpus) / 2, Number(gpus) / 2],
    vcpus: Number(cpu),
    memoryGib: Number(memory),
    count: Number(count),
  }));
}

function tasksOf(trace: Trace): Task[] {
  return rowsOf("tasks.csv")
    .filter(([name]) => name === trace)
    .map(([, cpu = "", memory = "", gpus = "", models = "", count = ""]) => ({
      gpus: Number(gpus),
      vcpus: Number(cpu),
      memoryGib: Number(memory),
      models: models.split("|").filter(Boolean),
      count: Number(count),
    }));
}

/** The rows of a file of the trace, without the first. */
function rowsOf(file: string): string[][] {
  const lines = readFileSync(join(import.meta.dirname, "openb", file), "utf8")
    .trim()
    .split("\n");
  return lines.slice(1).map((line) => line.split(","));
}
