// The rule for the user data of a launch. Used by order.ts, and by the console, which checks before it sends: so this
// needs nothing that a browser lacks.

/** What cloud-init may be handed, in bytes of UTF-8: 1 MB (decisions, The lambda edition), as computers count it. */
export const maxUserDataBytes = 1_048_576;

/** The rule that the text breaks, in one sentence; undefined: it breaks none. */
export function checkUserData(text: string): string | undefined {
  return new TextEncoder().encode(text).length > maxUserDataBytes
    ? `Give at most ${maxUserDataBytes} bytes.`
    : undefined;
}
