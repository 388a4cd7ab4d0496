import Autocomplete from '@mui/material/Autocomplete';
import Chip from '@mui/material/Chip';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from './Field.js';
import { useBound, type BoundProps } from './inputs.js';
import { listTexts } from './listTexts.js';

export interface ChipsInputProps<T extends FieldValues> extends BoundProps<T> {
  readonly options: readonly string[];
  /** Allows values that are not among the options. */
  readonly free?: boolean;
  readonly placeholder?: string;
  /** Chips shown while the field is not focused. */
  readonly shownTags?: number;
}

/** Several values as chips. Pasting a list separated by commas or lines adds each value. */
export function ChipsInput<T extends FieldValues>(props: ChipsInputProps<T>) {
  const { options, free = false, placeholder, shownTags = 8 } = props;
  const { id, field, wrapper, aria, invalid } = useBound(props);
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const values = field.value as string[];
  const add = (text: string) => {
    const fresh = text
      .split(/[,\n]/)
      .map((item) => item.trim())
      .filter(Boolean);
    if (fresh.length > 0) field.onChange([...new Set([...values, ...fresh])]);
    setTyped('');
  };
  return (
    <Field {...wrapper}>
      <Autocomplete<string, true, false, boolean>
        {...listTexts(t)}
        clearText={t('grid.clearSelection')}
        multiple
        freeSolo={free}
        id={id}
        options={options}
        value={values}
        inputValue={typed}
        disableCloseOnSelect
        filterSelectedOptions
        clearOnBlur={!free}
        limitTags={shownTags}
        getLimitTagsText={(more) => t('form.moreTags', { count: more })}
        onInputChange={(_, text, reason) => {
          if (reason === 'reset') return;
          if (free && /[,\n]/.test(text)) add(text);
          else setTyped(text);
        }}
        onChange={(_, next) => {
          field.onChange([...new Set(next.map((item) => item.trim()).filter(Boolean))]);
          setTyped('');
        }}
        onBlur={() => {
          if (free) add(typed);
          field.onBlur();
        }}
        renderValue={(chosen, getItemProps) =>
          chosen.map((value, index) => {
            const { key, ...item } = getItemProps({ index });
            return <Chip key={key} {...item} label={value} size="small" />;
          })
        }
        renderInput={(parameters) => (
          <OutlinedInput
            {...parameters.slotProps.input}
            id={parameters.id}
            fullWidth
            error={invalid}
            inputRef={field.ref}
            inputProps={{ ...parameters.slotProps.htmlInput, ...aria }}
            placeholder={values.length === 0 ? (placeholder ?? '') : ''}
          />
        )}
      />
    </Field>
  );
}
