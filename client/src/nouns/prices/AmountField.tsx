import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useId } from 'react';
import { Field } from '../../components/form/Field.js';

/** A price or ratio as text, aligned like a number. */
export function AmountField(props: {
  readonly label: string;
  readonly value: string;
  readonly prefix?: string;
  readonly error?: string | undefined;
  readonly hint?: string;
  /** Shown while the text is empty. */
  readonly placeholder?: string;
  readonly onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <Field
      label={props.label}
      id={id}
      {...(props.error === undefined ? {} : { error: props.error })}
      {...(props.hint === undefined ? {} : { hint: props.hint })}
    >
      <OutlinedInput
        id={id}
        fullWidth
        value={props.value}
        placeholder={props.placeholder}
        error={props.error !== undefined}
        onChange={(event) => props.onChange(event.target.value)}
        startAdornment={props.prefix && <InputAdornment position="start">{props.prefix}</InputAdornment>}
        inputProps={{
          className: 'num',
          inputMode: 'decimal',
          style: { textAlign: 'right' },
          'aria-describedby': (props.error ?? props.hint) ? `${id}-hint` : undefined,
        }}
      />
    </Field>
  );
}
