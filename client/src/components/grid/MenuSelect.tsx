import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import type { SelectBoxProps } from './SelectBox.js';

/** Opens a menu of the console's own, for pointers. */
export function MenuSelect({ label, value, onChange, placeholder, choices }: SelectBoxProps) {
  return (
    <Select
      displayEmpty
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
      inputProps={{ 'aria-label': label }}
      renderValue={(selected) =>
        selected === '' && placeholder !== undefined ? (
          <span style={{ opacity: 0.75 }}>{placeholder}</span>
        ) : (
          (choices.find((choice) => choice.value === selected)?.label ?? selected)
        )
      }
      sx={{ width: '100%' }}
      MenuProps={{ slotProps: { paper: { sx: { maxHeight: 360 } } } }}
    >
      {choices.map((choice) => (
        <MenuItem key={choice.value} value={choice.value}>
          {choice.label}
        </MenuItem>
      ))}
    </Select>
  );
}
