// The tags of an instance, each a link to all instances that have it.

import { Link } from "wouter";
import { type Tag, tagText } from "./tag-lines.ts";
import classes from "./tags.module.css";

/** The list of instances with this tag, written as `tagText` does. */
const withTagPath = (text: string): string => `/instances?tag=${encodeURIComponent(text)}`;

export function TagList({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <span className={classes.tags}>
      {tags.map(tagText).map((text) => (
        <Link key={text} href={withTagPath(text)} className={classes.tag ?? ""} title={`Instances tagged ${text}`}>
          {text}
        </Link>
      ))}
    </span>
  );
}
