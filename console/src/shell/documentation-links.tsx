// Links to help, the API documents and the command line, which the service serves beside the console (src/http/help/): on
// every page, also when signed out or offline. Offline, the browser would show its own error page, so the console shows
// offline-page.tsx instead.

import type { MouseEvent } from "react";
import { navigate } from "wouter/use-browser-location";
import classes from "./documentation-links.module.css";

const links = [
  { title: "Help", address: "/docs/start" },
  { title: "API documentation", address: "/docs/api" },
  { title: "CLI", address: "/docs/reference/cli" },
] as const;

/** Whether this path is one that the service serves, and the console shows only while offline. */
export const isDocumentation = (path: string): boolean => path === "/docs" || path.startsWith("/docs/");

function follow(event: MouseEvent<HTMLAnchorElement>) {
  const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (navigator.onLine || isElsewhere) return;
  event.preventDefault();
  navigate(event.currentTarget.pathname);
}

/** `alone`: on a page without navigation. */
export function DocumentationLinks({ alone = false }: { readonly alone?: boolean }) {
  return (
    <nav aria-label="Documentation" className={classes.links} data-alone={alone}>
      {links.map(({ title, address }) => (
        <a key={address} href={address} onClick={follow}>
          {title}
        </a>
      ))}
    </nav>
  );
}
