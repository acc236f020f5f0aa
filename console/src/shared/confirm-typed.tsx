// The confirmation of something that can't be undone: what is lost, and a word to type, which enables the button.

import { Button, Modal, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";
import classes from "./dialog.module.css";
import { ErrorNote } from "./error-state.tsx";
import { isTyped, wordFor } from "./readable-name.ts";

interface ConfirmTypedProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** "Terminate training?" */
  readonly title: string;
  /** The word to type, as it is shown; without one the button is enough. */
  readonly word?: string;
  /** Something else is missing, such as a reason. */
  readonly disabled?: boolean;
  /** What happens and what is lost. */
  readonly children: ReactNode;
  /** On the button: "Terminate". */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly pending: boolean;
  readonly error: Error | null;
}

export function ConfirmTyped(props: ConfirmTypedProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {/* Inside the modal, so that the word is empty each time it opens. */}
      <Question {...props} />
    </Modal>
  );
}

function Question(props: ConfirmTypedProps) {
  const { word: name, disabled = false, children, action, onConfirm, onClose, pending, error } = props;
  const [typed, setTyped] = useState("");
  const word = name === undefined ? undefined : wordFor(name, action.toLowerCase());
  const right = !disabled && (word === undefined || isTyped(typed, word));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (right) onConfirm();
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <div className={classes.text}>{children}</div>
      {word !== undefined && (
        <TextInput
          label={
            <>
              Type <code>{word}</code> to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      <ErrorNote error={error} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" type="submit" disabled={!right} loading={pending}>
          {action}
        </Button>
      </div>
    </form>
  );
}
