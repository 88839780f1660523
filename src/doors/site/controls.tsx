/** The controls that the page is made of: buttons, tick boxes, choices, numbers to type. */
import type { ComponentChildren, ComponentProps } from "preact";
import { useId, useState } from "preact/hooks";
import { QUANTITIES } from "../../studio/view/view.ts";
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
      aria-pressed={pressed}
      aria-keyshortcuts={keyName}
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
  label: ComponentChildren;
}

export function Checkbox({ checked, disabled = false, set, label }: CheckProps) {
  return (
    <label class="row-check">
      <input type="checkbox" {...{ checked, disabled }} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
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

interface NumberInputProps extends Pick<ComponentProps<"input">, "id" | "aria-label" | "step" | "min" | "max"> {
  value: number;
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

export function NumberField({ label, value, step = "any", least, most, unit = "", set }: NumberFieldProps) {
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

/** Icons of buttons, 24 by 24, in the colour of the text. Buttons have words for those who don't see them. */
const SHAPES = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  step: "M5 4.5v15l10-7.5zM16.5 5h2.8v14h-2.8z",
  back: "M19 4.5v15L9 12zM4.7 5h2.8v14H4.7z",
  stop: "M6 6h12v12H6z",
} as const;

const LINES = {
  restart: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4v4.2h4.2",
  fork: "M7 4v16M7 13c0-4 10-2 10-8M17 4l-3 3M17 4l3 3",
  compare: "M4 5h7v14H4zM13 5h7v14h-7z",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.700l1-1",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  gallery: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  open: "M12 15V4M8 8l4-4 4 4M4 14v6h16v-6",
  picture:
    "M12 3a9 9 0 1 0 0 18c2 0 2-1.5 1.3-2.5-1-1.5 0-3 1.7-3h2.500c2 0 3.5-1.5 3.5-4C21 6.5 17 3 12 3zM7.5 11.500h.01M10.5 7.500h.01M15 7.500h.01",
  sliders: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h11M19 17h1M15 5v4M9 10v4M17 15v4",
  deck: "M6 3h8l5 5v13H6zM14 3v5h5M9 12h7M9 16h7",
  curves: "M4 4v16h16M7 15c3-8 5 2 8-5 1-2.5 2-3 4-3",
  camera:
    "M12 4v16M4 12h16M12 4l-2.5 2.500M12 4l2.5 2.500M12 20l-2.5-2.500M12 20l2.5-2.500M4 12l2.5-2.500M4 12l2.5 2.500M20 12l-2.5-2.500M20 12l-2.5 2.5",
  export: "M12 4v11M8 11l4 4 4-4M4 16v4h16v-4",
  keys: "M3 7h18v10H3zM7 10.500h.01M11 10.500h.01M15 10.500h.01M18 10.500h.01M8 14h8",
  close: "M6 6l12 12M18 6L6 18",
  report: "M5 3h14v18H5zM8 16v-4M12 16V8M16 16v-6",
} as const;

export type IconName = keyof typeof SHAPES | keyof typeof LINES;

export function Icon({ name }: { name: IconName }) {
  const filled = name in SHAPES;
  const path = filled ? SHAPES[name as keyof typeof SHAPES] : LINES[name as keyof typeof LINES];
  return (
    <svg class={filled ? "icon filled" : "icon"} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}
