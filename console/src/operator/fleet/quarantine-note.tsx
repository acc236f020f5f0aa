// Why a GPU is quarantined, or is when its instance has ended: the reason, who decided it, and what was found. Used by the
// details of a host, and Needs attention.

import type { Shape } from "../../../../src/client/client.ts";
import classes from "./quarantine-note.module.css";

interface QuarantineNoteProps {
  readonly gpu: Shape<"ListedGpu">;
  readonly className?: string | undefined;
}

export function QuarantineNote({ gpu, className }: QuarantineNoteProps) {
  return (
    <>
      <span className={className}>{quarantineWords(gpu)}</span>
      {gpu.evidence !== null && <Evidence text={gpu.evidence} />}
    </>
  );
}

/** In one line: "reset-failed", "XID 79, by operator", "When its instance has ended: reported". */
export function quarantineWords({ reason, quarantine_next: next, quarantined_by: by }: Shape<"ListedGpu">): string {
  const why = reason ?? (next === null ? "" : `When its instance has ended: ${next}`);
  return by === null ? why : `${why}, by ${by}`;
}

/** What was found; below it, on demand, the end of the console of a validation. */
export function Evidence({ text }: { readonly text: string }) {
  const [found = "", ...console] = text.split("\n");
  if (console.length === 0) return <p className={classes.found}>Found: {found}</p>;
  return (
    <details className={classes.found}>
      <summary>Found: {found}</summary>
      <pre className={classes.console}>{console.join("\n")}</pre>
    </details>
  );
}
