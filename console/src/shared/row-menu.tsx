// The menu at the end of a row: a button, and the menu itself only while it is open. A list has a hundred of them, which
// would be drawn with each row.

import { ActionIcon, Menu } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import classes from "./row-menu.module.css";

interface RowMenuProps {
  /** The accessible name of the button: "Actions for web-1". */
  readonly label: string;
  /** In pixels. */
  readonly width: number;
  /** Its items. */
  readonly children: ReactNode;
}

export function RowMenu({ label, width, children }: RowMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span className={classes.all}>
      <ActionIcon
        ref={button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon name="dots" />
      </ActionIcon>
      {isOpen && (
        <Menu opened onClose={close} width={width} position="bottom-end" returnFocus={false}>
          <Menu.Target>
            {/* Over the button, so that a click on it closes the menu. */}
            <span className={classes.cover} aria-hidden="true" />
          </Menu.Target>
          <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}
