// A form in a dialog: create or change something. What the service refuses of a field stands at the field (fieldErrors),
// anything else above the buttons. Used by the pages of operators.

import { Button, Modal } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { LessorError } from "../../../src/client/index.ts";
import dialog from "../shared/dialog.module.css";
import { ErrorNote } from "../shared/error-state.tsx";
import classes from "./form-dialog.module.css";

interface FormDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** On the button: "Create". */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly pending: boolean;
  readonly error: Error | null;
  /** Names of the fields that show what is refused of them. */
  readonly fields: readonly string[];
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { opened, onClose, title, action, onSubmit, pending, error, fields, children } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!pending) onSubmit();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} className={dialog.form} noValidate>
        {children}
        <ErrorNote error={unplaced(error, fields)} />
        <div className={dialog.buttons}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={pending}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Fields beside each other, where there is room. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

/** What no field shows: a refusal without fields, or of one that the form does not have. */
function unplaced(error: Error | null, fields: readonly string[]): Error | null {
  if (!(error instanceof LessorError)) return error;
  const named = Object.keys(error.fields);
  return named.length > 0 && named.every((name) => fields.some((field) => belongs(name, field))) ? null : error;
}

/** What a refusal says of a field, or of a part of it ("instance_types[0]", "quotas.gpus"). */
export function fieldErrorOf(error: Error | null, field: string): string | undefined {
  if (!(error instanceof LessorError)) return undefined;
  return Object.entries(error.fields).find(([name]) => belongs(name, field))?.[1].message;
}

const belongs = (name: string, field: string) =>
  name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`);

/** The values of a form: what is there, and a setter for each field. */
export function useValues<T extends object>(initial: T) {
  const [values, setValues] = useState(initial);
  const set =
    <K extends keyof T>(name: K) =>
    (value: T[K]) =>
      setValues((former) => ({ ...former, [name]: value }));
  return { values, set };
}
