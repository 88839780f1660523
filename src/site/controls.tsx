/** The controls that the page is made of: buttons, tick boxes, choices, numbers to type. */
import type { ComponentChildren, ComponentProps } from "preact";
import { useId, useState } from "preact/hooks";
import { QUANTITIES } from "../view/view.ts";
import { Icon, type IconName } from "./icons.tsx";
import { type Store, setView } from "./store.ts";

export function Button({ primary, class: kind, ...rest }: ComponentProps<"button"> & { primary?: boolean }) {
  return <button {...rest} type="button" class={primary ? "primary" : kind} />;
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  /** The key that does the same. */
  keyName?: string;
  run: () => void;
  pressed?: boolean;
  disabled?: boolean;
  primary?: boolean;
}

export function IconButton({ icon, label, keyName, run, pressed, disabled = false, primary }: IconButtonProps) {
  return (
    <button
      type="button"
      class={primary ? "round primary" : "round"}
      aria-label={label}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(keyName ? { "aria-keyshortcuts": keyName } : {})}
      title={keyName ? `${label} (${keyName})` : label}
      disabled={disabled}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
}

interface CheckProps {
  checked: boolean;
  disabled?: boolean;
  set: (checked: boolean) => void;
  children: ComponentChildren;
}

export function Check({ checked, disabled = false, set, children }: CheckProps) {
  return (
    <label class="row-check">
      <input type="checkbox" {...{ checked, disabled }} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  set: (value: string) => void;
}

export function Select({ label, value, options, set }: SelectProps) {
  return (
    <label class="row-select">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Quantities({ store }: { store: Store }) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">Colours show</legend>
      {QUANTITIES.map((quantity, i) => (
        <label key={quantity} title={`Colours show ${quantity} (${i + 1})`}>
          <input
            type="radio"
            name={name}
            checked={store.view.value.quantity === quantity}
            onChange={() => setView(store, { quantity })}
          />
          <span>{quantity}</span>
        </label>
      ))}
    </fieldset>
  );
}

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
