// Histograms for prom-client's registry. Custom, because prom-client builds a string of the labels and looks it up for
// each value, which takes longer than all other counting for a read. Here frequent callers keep the cell of their
// labels, and an observation is three additions. Used by metrics.ts.

/** The observations with the same labels. */
export class Cell {
  readonly labels: Readonly<Record<string, string>>;
  /** The count of each bucket; the last one has no upper bound. */
  readonly counts: Float64Array;
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

interface HistogramOrder {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** One sample for the registry. */
interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly #labelNames: readonly string[];
  readonly #buckets: readonly number[];
  readonly #cells = new Map<string, Cell>();

  constructor({ name, help, labelNames, buckets }: HistogramOrder) {
    this.name = name;
    this.help = help;
    this.#labelNames = labelNames;
    this.#buckets = buckets;
  }

  /** The same one each time. */
  cell(labels: Readonly<Record<string, string>>): Cell {
    const key = keyOf(this.#labelNames, labels);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = new Cell({ ...labels }, this.#buckets);
      this.#cells.set(key, cell);
    }
    return cell;
  }

  /** For the registry. */
  async get() {
    return {
      name: this.name,
      help: this.help,
      type: this.type,
      values: [...this.#cells.values()].flatMap(this.#values),
    };
  }

  readonly #values = ({ labels: sharedLabels, counts, sum }: Cell): Value[] => {
    let count = 0;
    const values: Value[] = Array.from(counts, (inBucket, at) => {
      count += inBucket;
      const labels = { le: this.#buckets[at] ?? "+Inf" };
      return { metricName: `${this.name}_bucket`, labels, sharedLabels, value: count };
    });
    values.push({ metricName: `${this.name}_sum`, labels: {}, sharedLabels, value: sum });
    values.push({ metricName: `${this.name}_count`, labels: {}, sharedLabels, value: count });
    return values;
  };
}

/** The key of these labels; no label value contains the separator. */
export function keyOf(names: readonly string[], labels: Readonly<Record<string, string>>): string {
  return names.map((name) => labels[name]).join("\u0000");
}
