// A form in a dialog, to create or change something. A field error of the service is shown at its input, any other error
// above the buttons. Invariant: the fields of `form` have the names of the API.

import { Button, Modal } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LessorError } from "../../../src/client/client.ts";
import classes from "./dialog.module.css";
import { ErrorNote } from "./error-state.tsx";

interface FormDialogProps<Values, Saved> {
  readonly title: string;
  /** On the button. */
  readonly action: string;
  readonly form: UseFormReturnType<Values>;
  readonly change: UseMutationResult<Saved, Error, Values>;
  readonly onClose: () => void;
  /** Instead of onClose when it is saved. */
  readonly onSaved?: (saved: Saved) => void;
  readonly disabled?: boolean;
  readonly size?: "lg";
  /** A field whose errors the children show. */
  readonly shown?: string;
  readonly children: ReactNode;
}

/** Open as long as it is rendered. */
export function FormDialog<Values, Saved>(props: FormDialogProps<Values, Saved>) {
  const {
    title,
    action,
    form,
    change,
    onClose,
    onSaved = onClose,
    disabled = false,
    size = "md",
    shown,
    children,
  } = props;
  return (
    <Modal opened onClose={onClose} title={title} size={size} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submitted(form, change, onSaved, disabled)} className={classes.form} noValidate>
        {children}
        <ErrorNote error={unplacedError(change.error, form.values, shown)} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={disabled} loading={change.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** The handler of a form: sends what passes its own rules, and sets the errors of the service at its fields. */
export function submitted<Values, Saved>(
  form: UseFormReturnType<Values>,
  change: UseMutationResult<Saved, Error, Values>,
  onSaved: (saved: Saved) => void,
  disabled = false,
) {
  return form.onSubmit((values) => {
    if (disabled || change.isPending) return;
    change.mutate(values, {
      onSuccess: onSaved,
      onError: (error) =>
        form.setErrors(
          Object.fromEntries(fieldsOf(error).map(([name, { message }]) => [inputOf(name, values) ?? name, message])),
        ),
    });
  });
}

/** An error that no input shows: without fields, or of one that the form does not have. */
export function unplacedError(error: Error | null, values: unknown, shown?: string): Error | null {
  const fields = fieldsOf(error);
  const isPlaced = (name: string) => name.split(/[.[]/)[0] === shown || inputOf(name, values) !== undefined;
  return fields.length > 0 && fields.every(([name]) => isPlaced(name)) ? null : error;
}

const fieldsOf = (error: Error | null) => (error instanceof LessorError ? Object.entries(error.fields) : []);

/** The path of the input for a field of the service: of "instance_types[0]" the list, of "rules[1].port_range" that input. */
export function inputOf(name: string, values: unknown): string | undefined {
  const path = [];
  let value = values;
  for (const key of name.split(/[.[\]]+/)) {
    if (isInput(value)) break;
    value = (value as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) return undefined;
    path.push(key);
  }
  return isInput(value) ? path.join(".") : undefined;
}

/** Inputs have texts, numbers and lists of them; what is an object has inputs for its parts. */
function isInput(value: unknown): boolean {
  return typeof value !== "object" || value === null || (Array.isArray(value) && value.every(isInput));
}

/** Inputs beside each other, where there is room. */
export const Row = ({ children }: { readonly children: ReactNode }) => <div className={classes.row}>{children}</div>;
