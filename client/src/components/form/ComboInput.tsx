import Autocomplete, { createFilterOptions } from '@mui/material/Autocomplete';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from './Field.js';
import { useBound, type BoundProps } from './inputs.js';
import { listTexts } from './listTexts.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Names of zones contain underscores, which users type as spaces. */
const byLabel = createFilterOptions<Choice>({ stringify: ({ label }) => `${label} ${label.replaceAll('_', ' ')}` });

/** One of many choices, found by typing a part of its label. */
export function ComboInput<T extends FieldValues>({
  choices,
  onPick,
  ...props
}: BoundProps<T> & {
  readonly choices: readonly Choice[];
  readonly onPick?: (value: string) => void;
}) {
  const { id, field, wrapper, aria, invalid, disabled } = useBound(props);
  const { t } = useTranslation();
  const chosen = choices.find(({ value }) => value === field.value);
  return (
    <Field {...wrapper}>
      <Autocomplete
        {...listTexts(t)}
        id={id}
        disableClearable
        disabled={disabled}
        autoHighlight
        filterOptions={byLabel}
        options={choices}
        // The field has a value from the start, and its type has no value for an empty field.
        value={chosen ?? { value: String(field.value), label: String(field.value) }}
        isOptionEqualToValue={(option, { value }) => option.value === value}
        onChange={(_, { value }) => {
          field.onChange(value);
          onPick?.(value);
        }}
        onBlur={field.onBlur}
        renderInput={({ id: inputId, slotProps }) => (
          <OutlinedInput
            id={inputId}
            fullWidth
            error={invalid}
            inputRef={field.ref}
            {...slotProps.input}
            inputProps={{ ...slotProps.htmlInput, ...aria }}
          />
        )}
      />
    </Field>
  );
}
