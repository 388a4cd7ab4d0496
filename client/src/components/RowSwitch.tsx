/**
 * The switch of a row. It is a plain element, because a list has one in each row, and rendering the library's switch
 * takes many times as long.
 */
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
