/** A number with its label and its unit. */

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
  return (
    <label class="field-number">
      <span>
        {label} {unit && <small>{unit}</small>}
      </span>
      <input
        type="number"
        {...{ value, step, min: least, max: most }}
        onChange={(event) => {
          if (!Number.isNaN(event.currentTarget.valueAsNumber)) set(event.currentTarget.valueAsNumber);
        }}
      />
    </label>
  );
}
