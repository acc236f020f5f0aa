// Leniency in paths: double slashes count as one (clients join base addresses and paths carelessly), the absolute form
// that proxies send is accepted too, and a percent-encoded character that needs no encoding is that character (RFC
// 3986, section 6.2.2.2), so that all code sees one spelling. The router ignores a trailing slash. Source: decisions,
// Where the variants live.

export function normalizeUrl(url: string): string {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const start = relative.indexOf("?");
  const path = start === -1 ? relative : relative.slice(0, start);
  const query = start === -1 ? "" : relative.slice(start);
  const plain = path.includes("%") ? path.replace(encodedUnreserved, decodeURIComponent) : path;
  const collapsed = plain.replace(/\/{2,}/g, "/");
  return (collapsed.startsWith("/") ? collapsed : `/${collapsed}`) + query;
}

/** Letters, digits, and `-`, `.`, `_`, `~`, as percent encodings. */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;
