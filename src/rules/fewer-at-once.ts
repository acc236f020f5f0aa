// The suggestion for a launch that does not fit as a whole: how many fit where. Shared by the interfaces (http/errors)
// and the command line, which checks before it launches.

/** `parts`: regions in which some of the instances fit, and how many; not empty. */
export function fewerAtOnce(
  quantity: number,
  parts: readonly { readonly region: string; readonly fits: number }[],
  verb: "Launch" | "Reserve" = "Launch",
): string {
  const each = parts.map(({ region, fits }) => `${region} (${fits})`).join(", ");
  return `${verb} fewer at once. Regions and how many of ${quantity} fit there: ${each}.`;
}
