// The form for maintenance: new, of one host or of those with a label, or changed. Of maintenance that has begun only its
// end changes.

import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import {
  afterWindowAction,
  asMaintenanceMode,
  maintenanceModes,
  modeTraits,
} from "../../../../src/rules/maintenance.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import { utcInput, utcMoment } from "../../shared/utc-moment.ts";
import { hostSubjects, useHosts } from "../fleet/use-fleet.ts";
import { modeTitles } from "./window-labels.ts";

type Window = Shape<"MaintenanceWindow">;

interface WindowDialogProps {
  /** Null is new maintenance. */
  readonly window: Window | null;
  /** Of new maintenance, to begin with. */
  readonly host?: string | undefined;
  readonly onClose: () => void;
}

const subjects = ["maintenance", "instances", ...hostSubjects];
const hourMs = 3_600_000;

export function WindowDialog({ window, host = "", onClose }: WindowDialogProps) {
  const tomorrow = Math.ceil((Date.now() + 24 * hourMs) / hourMs) * hourMs;
  const timeOr = (at: string | undefined, otherwise: number) => utcInput(at ?? new Date(otherwise).toISOString());
  const form = useForm({
    initialValues: {
      host,
      selector: "",
      from: timeOr(window?.from, tomorrow),
      to: timeOr(window?.to, tomorrow + 4 * hourMs),
      deferrable_until: window?.deferrable_until == null ? "" : utcInput(window.deferrable_until),
      mode: window?.mode ?? maintenanceModes[0],
      reason: window?.reason ?? "",
    },
    validate: { reason: (reason) => (reason.trim() === "" ? "Give a reason." : null) },
  });
  const save = useChange(async (client, values: typeof form.values) => {
    const { from, to, deferrable_until: limit, mode, reason } = values;
    const times = {
      from: utcMoment(from),
      to: utcMoment(to),
      deferrable_until: limit === "" ? null : utcMoment(limit),
    };
    const body = { ...times, mode, reason: reason.trim() };
    if (window === null) {
      const where = values.selector.trim() === "" ? { host: values.host } : { selector: values.selector.trim() };
      return client.POST("/maintenance-windows", { body: { ...body, ...where } });
    }
    const revision = window.revision === undefined ? {} : { revision: window.revision };
    const changed = hasBegun ? { to: body.to } : body;
    const answer = await client.PATCH("/maintenance-windows/{id}", {
      params: { path: { id: window.id } },
      body: { ...changed, ...revision },
    });
    // As the other request, a list.
    return answer.error === undefined ? { ...answer, data: { data: [answer.data.data] } } : answer;
  }, subjects);
  const hasBegun = window !== null && afterWindowAction(window.phase, "reschedule") === undefined;
  const hosts = useHosts().data?.data.map(({ name }) => name) ?? [];
  return (
    <FormDialog
      size="lg"
      title={window === null ? "Schedule maintenance" : `Change maintenance of ${window.host ?? "a host"}`}
      action={window === null ? "Schedule" : "Save"}
      form={form}
      change={save}
      onClose={onClose}
    >
      {window === null && (
        <Row>
          <Select
            label="Host"
            placeholder="Choose one"
            data={hosts}
            searchable
            clearable
            disabled={form.values.selector.trim() !== ""}
            {...form.getInputProps("host")}
            value={form.values.host === "" ? null : form.values.host}
            onChange={(name) => form.setFieldValue("host", name ?? "")}
          />
          <TextInput
            label="Or all hosts with labels"
            placeholder="rack=r12"
            disabled={form.values.host !== ""}
            {...form.getInputProps("selector")}
          />
        </Row>
      )}
      <Row>
        <TextInput
          label="Begins (UTC)"
          type="datetime-local"
          step={1}
          disabled={hasBegun}
          {...form.getInputProps("from")}
        />
        <TextInput label="Ends (UTC)" type="datetime-local" step={1} {...form.getInputProps("to")} />
      </Row>
      <Select
        label="Instances on the host"
        description={modeTraits[form.values.mode].meaning}
        data={maintenanceModes.map((mode) => ({ value: mode, label: modeTitles[mode] }))}
        allowDeselect={false}
        disabled={hasBegun}
        {...form.getInputProps("mode")}
        onChange={(mode) => mode !== null && form.setFieldValue("mode", asMaintenanceMode(mode))}
      />
      <TextInput
        label="Reason"
        description="Customers with instances on the host read it."
        maxLength={300}
        disabled={hasBegun}
        {...form.getInputProps("reason")}
      />
      <TextInput
        label="Customers can defer it until (UTC)"
        description="The latest begin that they can choose. Empty: they can't defer it."
        type="datetime-local"
        step={1}
        disabled={hasBegun}
        {...form.getInputProps("deferrable_until")}
      />
    </FormDialog>
  );
}
