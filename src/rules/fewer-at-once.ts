// What to do about a launch that fits nowhere as a whole: how many of it fit where. The one sentence of the interfaces
// (http/errors) and of the command line, which looks before it launches.

/** `parts`: regions in which some of the instances fit, and how many; not none. */
export function fewerAtOnce(quantity: number, parts: readonly { readonly region: string; readonly fits: number }[]) {
  const each = parts.map(({ region, fits }) => `${region} (${fits})`).join(", ");
  return `Launch fewer at once. Regions and how many of ${quantity} fit there: ${each}.`;
}
