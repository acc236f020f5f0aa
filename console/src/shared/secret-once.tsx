// A secret that is shown once: a token, a webhook's secret, a private key. It is copied or saved as a file; the console
// keeps nothing of it.

import { Alert, Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyableBlock } from "./copyable.tsx";
import classes from "./dialog.module.css";
import { download } from "./download.ts";
import { Icon } from "./icon.tsx";

interface SecretOnceProps {
  readonly title: string;
  readonly secret: string;
  /** The name of the secret: "token". */
  readonly label: string;
  /** The name of the file to save it as; without one it is only copied. */
  readonly fileName?: string;
  /** What to do with it. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function SecretOnce({ title, secret, label, fileName, children, onClose }: SecretOnceProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className={classes.form}>
        <Alert color="amber" title={`This ${label} is shown only now`} icon={<Icon name="warning" />}>
          Save it now. You can't view it again.
        </Alert>
        <CopyableBlock value={secret} label={label} />
        <div className={classes.text}>{children}</div>
        <div className={classes.buttons}>
          {fileName !== undefined && (
            <Button
              variant="default"
              leftSection={<Icon name="download" />}
              onClick={() => download(new Blob([secret], { type: "application/octet-stream" }), fileName)}
            >
              Download {fileName}
            </Button>
          )}
          <Button onClick={onClose}>I've saved it</Button>
        </div>
      </div>
    </Modal>
  );
}
