import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import VisibilityOffOutlinedIcon from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlinedIcon from '@mui/icons-material/VisibilityOutlined';
import { useRef, useState, type ReactNode } from 'react';
import { useController, type Control, type FieldPath, type FieldValues, type RegisterOptions } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { afterPress } from '../../lib/afterPress.js';
import { Field } from './Field.js';
import { lengthNotes } from './lengthNotes.js';

/** Props that all bound inputs share. Validation messages are shown below the field. */
export interface BoundProps<T extends FieldValues> {
  readonly control: Control<T>;
  readonly name: FieldPath<T>;
  readonly label: string;
  readonly rules?: Omit<RegisterOptions<T>, 'valueAsNumber' | 'valueAsDate' | 'setValueAs' | 'disabled'>;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly hint?: ReactNode;
  readonly aside?: ReactNode;
  /** The reason why the user may not change the value. The control is then disabled, and this is its tooltip. */
  readonly locked?: string | undefined;
}

export function useBound<T extends FieldValues>({
  control,
  name,
  rules,
  hint,
  label,
  required,
  optional,
  aside,
  locked,
  autoFocus = false,
}: BoundProps<T> & {
  /** The field has the focus when the form opens. */
  readonly autoFocus?: boolean;
}) {
  const { field, fieldState } = useController({ control, name, ...(rules ? { rules } : {}) });
  const id = `field-${name}`;
  const error = fieldState.error?.message;
  const described = error !== undefined || hint !== undefined ? `${id}-hint` : undefined;
  const wasEntered = useRef(!autoFocus);
  const leave = () => {
    // A field that the user leaves by choosing another control was not edited, so no error for an empty value is shown.
    if (wasEntered.current) afterPress(field.onBlur);
    wasEntered.current = true;
  };
  const { ref, name: fieldName, value } = field;
  const onChange = (typed: unknown) => {
    wasEntered.current = true;
    field.onChange(typed);
  };
  const disabled = locked !== undefined;
  return {
    id,
    field: { ...field, onBlur: leave },
    invalid: fieldState.invalid,
    /** Props of a text field. */
    input: { id, name: fieldName, value, onChange, onBlur: leave, inputRef: ref, error: fieldState.invalid, disabled },
    disabled,
    wrapper: {
      id,
      label,
      required: required ?? false,
      optional: optional ?? false,
      hint,
      aside,
      locked,
      ...(error === undefined ? {} : { error }),
    },
    aria: { 'aria-describedby': described, 'aria-required': required },
  };
}

export interface TextInputProps<T extends FieldValues> extends BoundProps<T> {
  readonly placeholder?: string;
  readonly type?: 'text' | 'password' | 'email';
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly mono?: boolean;
  /** More than one line. */
  readonly rows?: number;
  readonly large?: boolean;
  readonly maxLength?: number;
}

/** Text, a password with an eye, or several lines. */
export function TextInput<T extends FieldValues>(props: TextInputProps<T>) {
  const { placeholder, type = 'text', autoComplete = 'off', autoFocus = false, mono, rows, large, maxLength } = props;
  const { input, wrapper, aria } = useBound(props);
  const { t } = useTranslation();
  const [visible, setVisible] = useState(false);
  const notes = lengthNotes(input.value ?? '', maxLength, t);
  const described = notes.hint === undefined ? aria['aria-describedby'] : `${wrapper.id}-hint`;
  return (
    <Field {...wrapper} {...notes}>
      <OutlinedInput
        {...input}
        fullWidth
        multiline={rows !== undefined}
        {...(rows === undefined ? {} : { minRows: rows, maxRows: 10 })}
        type={type === 'password' && visible ? 'text' : type}
        placeholder={placeholder}
        autoComplete={autoComplete}
        autoFocus={autoFocus}
        inputProps={{
          ...aria,
          'aria-describedby': described,
          ...(mono ? { className: 'mono' } : {}),
          maxLength,
          spellCheck: false,
        }}
        endAdornment={
          type === 'password' && (
            <InputAdornment position="end">
              <IconButton
                aria-label={visible ? t('form.hidePassword') : t('form.showPassword')}
                onClick={() => setVisible(!visible)}
                sx={{ width: 28, height: 28 }}
              >
                {visible ? <VisibilityOffOutlinedIcon /> : <VisibilityOutlinedIcon />}
              </IconButton>
            </InputAdornment>
          )
        }
        sx={large ? { minHeight: 40 } : {}}
      />
    </Field>
  );
}

export interface NumberInputProps<T extends FieldValues> extends BoundProps<T> {
  readonly unit?: string;
  readonly prefix?: string;
  readonly step?: string;
  readonly disabled?: boolean;
}

/** A number with its unit, right-aligned. The form keeps the typed text; its rules check it. */
export function NumberInput<T extends FieldValues>(props: NumberInputProps<T>) {
  const { input, wrapper, aria } = useBound(props);
  return (
    <Field {...wrapper}>
      <OutlinedInput
        {...input}
        disabled={props.disabled ?? input.disabled}
        fullWidth
        startAdornment={props.prefix && <InputAdornment position="start">{props.prefix}</InputAdornment>}
        endAdornment={props.unit && <InputAdornment position="end">{props.unit}</InputAdornment>}
        inputProps={{ ...aria, inputMode: 'decimal', className: 'num', style: { textAlign: 'right' } }}
      />
    </Field>
  );
}
