// The ways to help, the API documents and the command line, which the service serves beside the console (src/http/help/):
// on every page, also where nobody is signed in or the service does not answer.

import classes from "./documentation-links.module.css";

const links = [
  { title: "Help", address: "/help/" },
  { title: "API documentation", address: "/help/api" },
  { title: "CLI", address: "/help/cli" },
] as const;

/** `alone`: on a page without navigation. */
export function DocumentationLinks({ alone = false }: { readonly alone?: boolean }) {
  return (
    <nav aria-label="Documentation" className={classes.links} data-alone={alone}>
      {links.map(({ title, address }) => (
        <a key={address} href={address}>
          {title}
        </a>
      ))}
    </nav>
  );
}
