// Text to copy: an address, an id, a command. All of it is the button.

import { Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useRef, useState } from "react";
import classes from "./copyable.module.css";
import { Icon } from "./icon.tsx";

interface CopyableProps {
  readonly value: string;
  /** The accessible name of what is copied: "address". */
  readonly label: string;
  /** What is shown instead of the value: its beginning. */
  readonly shown?: string;
  /** The value is not shown. */
  readonly concealed?: boolean;
}

/** One word, in a line of text. */
export function Copyable({ value, label, shown = value, concealed = false }: CopyableProps) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  // The tooltip is made when it may be needed: a list has a hundred.
  const [isNear, setNear] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const said = copied ? "copied" : `copy ${label}`;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes.word}
        onClick={() => copy(value)}
        onPointerEnter={() => setNear(true)}
        onPointerLeave={() => setNear(false)}
        aria-label={concealed ? said : `${shown}, ${said}`}
      >
        <code>{concealed ? "••••••••••" : shown}</code>
        <Icon name={copied ? "check" : "copy"} size={13} />
      </button>
      {isNear && <Tooltip target={button} label={copied ? "Copied" : `Copy ${label}`} opened />}
    </>
  );
}

/** In the place of a block while there is nothing to copy: says why. */
export function NothingToCopy({ children }: { readonly children: string }) {
  return (
    <div className={classes.block}>
      <p className={`${classes.pre} ${classes.nothing}`}>{children}</p>
    </div>
  );
}

/** A block of one or more lines: a command, a key. */
export function CopyableBlock({ value, label }: Pick<CopyableProps, "value" | "label">) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={classes.pre} tabIndex={0}>
        {value}
      </pre>
      <button type="button" className={classes.take} onClick={() => copy(value)} aria-label={`Copy ${label}`}>
        <Icon name={copied ? "check" : "copy"} size={14} />
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
