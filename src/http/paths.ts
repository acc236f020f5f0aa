// Leniency in paths: double slashes count as one (clients join base addresses and paths carelessly), and the absolute
// form that proxies send is taken too. A slash at the end is the router's to ignore.
// Source: decisions, Where the variants live.

export function normalizeUrl(url: string): string {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const start = relative.indexOf("?");
  const path = start === -1 ? relative : relative.slice(0, start);
  const query = start === -1 ? "" : relative.slice(start);
  const collapsed = path.replace(/\/{2,}/g, "/");
  return (collapsed.startsWith("/") ? collapsed : `/${collapsed}`) + query;
}
