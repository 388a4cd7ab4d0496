/** The switch of a row: a plain element, because a list has one in each and the library's is many times as expensive to draw. */
export function RowSwitch({
  label,
  checked,
  disabled = false,
  onChange,
}: {
  /** The accessible name, with the object: "Enable prod-web". */
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <input
      type="checkbox"
      role="switch"
      className="row-switch"
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
