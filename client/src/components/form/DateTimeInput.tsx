import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import CalendarTodayOutlinedIcon from '@mui/icons-material/CalendarTodayOutlined';
import { useRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { isLocalTime } from '../../lib/localTime.js';
import { Field } from './Field.js';
import { useBound, type BoundProps } from './inputs.js';

const complete = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})$/;

/** @returns `YYYY-MM-DDTHH:mm`, which Date reads as local time; unfinished texts as they were typed */
const toValue = (typed: string): string => typed.trim().replace(complete, '$1T$2');

interface DateTimeInputProps extends Omit<OutlinedInputProps, 'value' | 'onChange' | 'type'> {
  /** `YYYY-MM-DDTHH:mm`, or an unfinished text. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A local date and time, written as everywhere in the console: YYYY-MM-DD HH:mm. A button opens the browser's calendar. */
export function DateTimeInput({ value, onChange, inputProps, ...rest }: DateTimeInputProps) {
  const { t } = useTranslation();
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <OutlinedInput
      {...rest}
      value={value.replace(complete, '$1 $2')}
      placeholder={t('time.format')}
      autoComplete="off"
      onChange={(event) => onChange(toValue(event.target.value))}
      inputProps={{ ...inputProps, className: 'num', maxLength: 16, spellCheck: false }}
      endAdornment={
        <InputAdornment position="end">
          <input
            ref={calendar}
            type="datetime-local"
            tabIndex={-1}
            aria-hidden
            value={isLocalTime(value) ? value : ''}
            onChange={(event) => onChange(event.target.value)}
            style={{
              position: 'absolute',
              right: 0,
              bottom: 0,
              width: 0,
              height: 0,
              opacity: 0,
              border: 0,
              padding: 0,
            }}
          />
          <IconButton
            aria-label={t('time.openCalendar')}
            onClick={() => calendar.current?.showPicker()}
            sx={{ width: 28, height: 28 }}
          >
            <CalendarTodayOutlinedIcon />
          </IconButton>
        </InputAdornment>
      }
    />
  );
}

/** The date and time field in a form. Its hint ends with the time zone. */
export function BoundDateTime<T extends FieldValues>(props: BoundProps<T>) {
  const { input, wrapper, aria } = useBound(props);
  const { value, onChange, ...rest } = input;
  return (
    <Field {...wrapper}>
      <DateTimeInput {...rest} value={String(value)} onChange={onChange} fullWidth inputProps={aria} />
    </Field>
  );
}
