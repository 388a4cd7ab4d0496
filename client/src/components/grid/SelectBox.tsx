import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { useIsMobile } from '../../lib/useMediaFlags.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface SelectBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly Choice[];
  /** Shown in the closed field for the empty choice. */
  readonly placeholder?: string;
  readonly width: number | '100%';
}

/** A select for filters and footers. Phones show the system's picker. */
export function SelectBox({ label, value, onChange, choices, placeholder, width }: SelectBoxProps) {
  const native = useIsMobile();
  const isUnset = value === '' && placeholder !== undefined;
  const labelOf = (choice: Choice) => (native && choice.value === '' ? (placeholder ?? choice.label) : choice.label);
  return (
    <Select
      native={native}
      displayEmpty
      value={value}
      onChange={(event) => onChange(event.target.value)}
      inputProps={{ 'aria-label': label }}
      renderValue={(selected) =>
        isUnset ? placeholder : (choices.find((choice) => choice.value === selected)?.label ?? selected)
      }
      sx={{ width, flexShrink: 0, ...(isUnset ? { color: 'text.secondary' } : {}) }}
      MenuProps={{ slotProps: { paper: { sx: { maxHeight: 360 } } } }}
    >
      {choices.map((choice) =>
        native ? (
          <option key={choice.value} value={choice.value}>
            {labelOf(choice)}
          </option>
        ) : (
          <MenuItem key={choice.value} value={choice.value}>
            {labelOf(choice)}
          </MenuItem>
        ),
      )}
    </Select>
  );
}
