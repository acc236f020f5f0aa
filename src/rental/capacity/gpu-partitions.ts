// Which partition of a host's NVSwitch board an instance gets, and how many more instances fit by size. Used where GPUs are
// chosen and counted (assign.ts, requirements.ts); function gpu_fits of the database counts the same, and
// gpu-partitions.test.ts compares both.
//
// Invariant: an instance on such GPUs gets a predefined partition of its size that is wholly free, or none. Those of one
// size are disjoint (rental/gpus/partitions/reading.ts), so that they are counted one by one.

/** By size, how many more instances fit. */
export type Fits = ReadonlyMap<number, number>;

/** Addresses of the GPUs of one partition. */
export type Partition = readonly string[];

/** `partitions`: those of GPUs of one model. `free`: addresses of the ones that are offered. */
export function fitsOf(partitions: readonly Partition[], free: ReadonlySet<string>): Fits {
  const fits = new Map<number, number>();
  for (const one of partitions) {
    fits.set(one.length, (fits.get(one.length) ?? 0) + (isWhole(one, free) ? 1 : 0));
  }
  return fits;
}

/**
 * A free partition with `size` GPUs: the one that the fewest larger free ones enclose, so that those stay whole; then the
 * one whose next larger one has the fewest free GPUs. Throws "BUG: …" if there is none: it was counted under the same lock.
 */
export function choosePartition(
  partitions: readonly Partition[],
  free: ReadonlySet<string>,
  size: number,
): readonly string[] {
  const rank = (one: Partition) => {
    const larger = partitions.filter((other) => other.length > size && one.every((each) => other.includes(each)));
    const whole = larger.filter((other) => isWhole(other, free)).length;
    const next = larger.toSorted((a, b) => a.length - b.length)[0] ?? [];
    return { one, whole, freeBeside: next.filter((address) => free.has(address)).length };
  };
  const [best] = partitions
    .filter((one) => one.length === size && isWhole(one, free))
    .map(rank)
    .sort((a, b) => a.whole - b.whole || a.freeBeside - b.freeBeside);
  if (best === undefined) throw new Error(`BUG: a partition of ${size} GPUs wanted where none is free`);
  return best.one;
}

/**
 * What fits after `times` instances of `size` GPUs, which do not break a larger partition while another one is broken. For
 * partitions that are nested, as those of HGX boards are; for others it is an estimate.
 */
export function fitsWithout(fits: Fits, size: number, times: number): Fits {
  const here = fits.get(size) ?? 0;
  return new Map(
    [...fits].map(([other, count]) => {
      if (other <= size) return [other, Math.max(0, count - Math.ceil((times * size) / other))];
      const each = Math.max(1, Math.floor(other / size));
      const loose = Math.max(0, here - count * each);
      return [other, Math.max(0, count - Math.ceil(Math.max(0, times - loose) / each))];
    }),
  );
}

function isWhole(partition: Partition, free: ReadonlySet<string>): boolean {
  return partition.every((address) => free.has(address));
}
