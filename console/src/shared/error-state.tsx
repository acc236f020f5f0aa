// What could not be read or done: the service's sentence, what to do about it, and the id that its log has. ErrorState
// stands in the place of what is missing, ErrorNote beside a form.

import { Alert, Button } from "@mantine/core";
import { lazy, Suspense } from "react";
import { LessorError } from "../../../src/client/index.ts";
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
    // What fetch throws where nobody answers.
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

/** A refusal beside what was refused. Nothing where there is none. */
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

/** Loaded where there is an id, so the service answers: the sign-in page has no use for it. */
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

/** What a refusal says of one field, for the input of that field. */
export function fieldError(error: Error | null, field: string): string | undefined {
  return error instanceof LessorError ? error.fields[field]?.message : undefined;
}
