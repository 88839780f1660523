/** Numbers to type, alone or with their label and their unit. */
import { useId, useState } from "preact/hooks";

interface NumberInputProps {
  id?: string;
  "aria-label"?: string;
  value: number;
  step: number | "any";
  min?: number | undefined;
  max?: number | undefined;
  /** `text` is empty where the field is or where it holds no number; `number` is NaN then. */
  entered: (number: number, text: string) => void;
}

/** What is typed stays until it is entered or left, however often the panel is drawn meanwhile: a run that goes draws it often. */
export function NumberInput({ value, entered, ...attributes }: NumberInputProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      {...attributes}
      type="number"
      value={typed ?? value}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        setTyped(undefined);
        entered(event.currentTarget.valueAsNumber, event.currentTarget.value);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  step?: number | "any";
  least?: number;
  most?: number;
  unit?: string;
  set: (value: number) => void;
}

export function NumberField({ label, value, step = 1, least, most, unit = "", set }: NumberFieldProps) {
  const id = useId();
  return (
    <label class="field-number" for={id}>
      <span>
        {label} {unit && <small>{unit}</small>}
      </span>
      <NumberInput
        {...{ id, value, step, min: least, max: most }}
        entered={(number) => {
          if (!Number.isNaN(number)) set(number);
        }}
      />
    </label>
  );
}
