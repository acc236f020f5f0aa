// A form in a dialog: its fields, what was refused, and its buttons.

import { Button, Modal } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";
import classes from "./dialog.module.css";
import { ErrorNote } from "./error-state.tsx";

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** On the button. */
  readonly action: string;
  readonly disabled?: boolean;
  readonly pending: boolean;
  readonly error: Error | null;
  readonly children: ReactNode;
}

/** Open as long as it is rendered: so each time its fields begin anew. */
export function FormDialog(props: FormDialogProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!props.disabled) props.onSubmit();
  };
  return (
    <Modal opened onClose={props.onClose} title={props.title} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} className={classes.form}>
        {props.children}
        <ErrorNote error={props.error} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={props.disabled ?? false} loading={props.pending}>
            {props.action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
