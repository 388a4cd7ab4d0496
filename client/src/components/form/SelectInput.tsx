import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Field } from './Field.js';
import { useBound, type BoundProps } from './inputs.js';
import { labelledSelect } from './labelledSelect.js';

export interface SelectInputProps<T extends FieldValues> extends BoundProps<T> {
  readonly choices: readonly { readonly value: string | number; readonly label: string; readonly aside?: ReactNode }[];
  readonly onPick?: (value: string | number) => void;
}

/** A choice from a menu. */
export function SelectInput<T extends FieldValues>(props: SelectInputProps<T>) {
  const { id, field, wrapper, aria, invalid } = useBound(props);
  return (
    <Field {...wrapper}>
      <Select<string | number>
        {...labelledSelect(id, aria['aria-describedby'])}
        value={field.value}
        inputRef={field.ref}
        onChange={(event) => {
          field.onChange(event.target.value);
          props.onPick?.(event.target.value);
        }}
        onBlur={field.onBlur}
        error={invalid}
        fullWidth
        displayEmpty
        MenuProps={{ slotProps: { paper: { sx: { maxHeight: 400 } } } }}
      >
        {props.choices.map((choice) => (
          <MenuItem key={choice.value} value={choice.value} sx={{ justifyContent: 'space-between', gap: 2 }}>
            {choice.label}
            {choice.aside}
          </MenuItem>
        ))}
      </Select>
    </Field>
  );
}
