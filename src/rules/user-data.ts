// The rule for the user data of a launch. Used by order.ts, and by the console, which validates before it sends: so
// this uses nothing that browsers lack.

/** The maximum for cloud-init, in bytes of UTF-8: 1 MB (decisions, The lambda edition), here 2^20 bytes. */
export const maxUserDataBytes = 1_048_576;

/** The rule that the text breaks, in one sentence; undefined if valid. */
export function checkUserData(text: string): string | undefined {
  return new TextEncoder().encode(text).length > maxUserDataBytes
    ? `Give at most ${maxUserDataBytes} bytes.`
    : undefined;
}
