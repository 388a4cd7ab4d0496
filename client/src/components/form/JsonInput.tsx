import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { findJsonProblem, formatJson } from '../../lib/jsonText.js';
import { Field } from './Field.js';
import { useBound, type BoundProps } from './inputs.js';

export interface JsonInputProps<T extends FieldValues> extends BoundProps<T> {
  readonly example: string;
  /** A further condition on the value, and the message when it does not hold. */
  readonly shape?: { readonly test: (value: unknown) => boolean; readonly message: string };
}

/** JSON text, 3 to 10 rows. Shows the line of a syntax error and a Format button. Empty is valid. */
export function JsonInput<T extends FieldValues>({ example, shape, ...props }: JsonInputProps<T>) {
  const { t } = useTranslation();
  const validate = (value: unknown) => {
    const text = String(value);
    const problem = findJsonProblem(text);
    if (problem) return t('form.invalidJson', { line: problem.line });
    return text.trim() === '' || !shape || shape.test(JSON.parse(text)) || shape.message;
  };
  const { id, field, wrapper, aria, invalid, disabled } = useBound({ ...props, rules: { validate } });
  const text = field.value as string;
  return (
    <Field
      {...wrapper}
      aside={
        text.trim() === '' || disabled ? undefined : (
          <Button
            onClick={() => field.onChange(formatJson(text))}
            sx={{ minHeight: 18, padding: 0, fontSize: 12, lineHeight: '18px' }}
          >
            {t('form.formatJson')}
          </Button>
        )
      }
    >
      <OutlinedInput
        id={id}
        name={field.name}
        value={text}
        inputRef={field.ref}
        onChange={field.onChange}
        onBlur={field.onBlur}
        error={invalid}
        disabled={disabled}
        fullWidth
        multiline
        minRows={3}
        maxRows={10}
        placeholder={example}
        inputProps={{ ...aria, className: 'mono', spellCheck: false }}
      />
    </Field>
  );
}
