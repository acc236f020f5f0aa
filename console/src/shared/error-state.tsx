// A failed read or change: the service's message, its suggestion, and the request id. ErrorState replaces what is missing,
// ErrorNote stands in a form.

import { Alert, Button } from "@mantine/core";
import { lazy, Suspense } from "react";
import { LessorError } from "../../../src/client/client.ts";
import { Icon } from "./icon.tsx";
import classes from "./states.module.css";

interface Told {
  readonly title: string;
  readonly suggestion: string;
  readonly requestId: string;
}

function told(error: Error): Told {
  if (error instanceof LessorError) {
    return { title: error.message, suggestion: error.suggestion, requestId: error.requestId };
  }
  if (error instanceof TypeError) {
    // fetch throws it when it cannot connect.
    return {
      title: "The service can't be reached",
      suggestion: "Check your connection and try again.",
      requestId: "",
    };
  }
  return { title: "Something went wrong in the console", suggestion: error.message, requestId: "" };
}

interface ErrorStateProps {
  readonly error: Error;
  readonly again?: () => void;
  /** On a page of its own. */
  readonly alone?: boolean;
}

export function ErrorState({ error, again, alone = false }: ErrorStateProps) {
  const { title, suggestion, requestId } = told(error);
  return (
    <div className={classes.state} data-alone={alone} role="alert">
      <span className={classes.icon} data-kind="error">
        <Icon name="warning" size={20} />
      </span>
      <p className={classes.title}>{title}</p>
      <div className={classes.text}>
        {suggestion}
        {again !== undefined && (
          <Button variant="default" onClick={again}>
            Try again
          </Button>
        )}
        {requestId !== "" && <Reference requestId={requestId} />}
      </div>
    </div>
  );
}

/** Nothing if there is no error. */
export function ErrorNote({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  const { title, suggestion, requestId } = told(error);
  return (
    <Alert color="red" title={title} role="alert" icon={<Icon name="warning" />}>
      {suggestion}
      {requestId !== "" && <Reference requestId={requestId} />}
    </Alert>
  );
}

/** Loaded for errors with an id: the sign-in page rarely needs it. */
const Copyable = lazy(async () => ({ default: (await import("./copyable.tsx")).Copyable }));

function Reference({ requestId }: { readonly requestId: string }) {
  return (
    <p className={classes.reference}>
      Request{" "}
      <Suspense fallback={<code>{requestId}</code>}>
        <Copyable value={requestId} label="request id" />
      </Suspense>
    </p>
  );
}
