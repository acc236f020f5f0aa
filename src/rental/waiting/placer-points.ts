// The points at which the placer can be interrupted: all that it writes it writes at one of them, and they are failpoints
// of the reconciler (reconciler/failpoints.ts), which runs it. Used by placer.ts.

/** `launchPlaced` is the try, and `launchNotPlaced` records that it was in vain. */
export const placerPoints = [
  "waitsExpired",
  "hostsGivenBack",
  "launchPlaced",
  "launchNotPlaced",
  "startsComputed",
  "hostsKept",
] as const satisfies string[];

export type PlacerPoint = (typeof placerPoints)[number];

/** Runs `pass` at the point, normally once and at once. */
export type PlacerGate = <T>(point: PlacerPoint, pass: () => Promise<T>) => Promise<T>;

export const noGate: PlacerGate = (_point, pass) => pass();
