// The link at which an invitation is accepted. Invariant: its secret is in the fragment, which browsers send to no server.
// Pure. Used by the pages that show one, and by the page that it opens.

/** Of the page that accepts. */
export const joinPath = "/join";

export const joinLink = (origin: string, secret: string): string =>
  `${origin}${joinPath}#${encodeURIComponent(secret)}`;

/** The secret in `window.location.hash`; "" if there is none. */
export function secretIn(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, "")).trim();
  } catch {
    return "";
  }
}
