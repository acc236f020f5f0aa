// The huge page sizes that the settings can name, in libvirt's units. Used for memory calculations.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Pages } from "./capabilities.ts";

const sizesKib = { "2MiB": 2048, "1GiB": 1024 ** 2 } as const satisfies Record<
  NonNullable<LibvirtSettings["hugePages"]>,
  number
>;

/** KiB in all pages of that size. */
export function kibInPages(pages: readonly Pages[], size: NonNullable<LibvirtSettings["hugePages"]>): number {
  return kibIn(pages.filter(({ sizeKib }) => sizeKib === sizesKib[size]));
}

/** KiB in all pages. */
export function kibIn(pages: readonly Pages[]): number {
  return pages.reduce((total, { sizeKib, count }) => total + sizeKib * count, 0);
}
