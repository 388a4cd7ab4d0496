import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import SearchOutlinedIcon from '@mui/icons-material/SearchOutlined';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { SelectBox, type Choice } from './SelectBox.js';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Width in px on wide screens; full width on phones. */
  readonly width: number | '100%';
}

const useFieldWidth = (width: number | '100%'): number | '100%' => (useIsMobile() ? '100%' : width);

/** A text filter with a Clear button. With `search` it shows a search icon and the `/` key focuses it. */
export function TextFilter({
  label,
  value,
  onChange,
  width,
  search = false,
  digits = false,
  wrong = false,
  autoFocus = false,
}: FieldProps & {
  readonly search?: boolean;
  /** Accepts digits only. */
  readonly digits?: boolean;
  /** The text cannot be a filter. */
  readonly wrong?: boolean;
  readonly autoFocus?: boolean;
}) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!search) return;
    const focus = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, [search]);
  return (
    <OutlinedInput
      inputRef={input}
      autoFocus={autoFocus}
      value={value}
      error={wrong}
      placeholder={label}
      onChange={(event) => onChange(digits ? event.target.value.replace(/\D/g, '') : event.target.value)}
      sx={{ width: useFieldWidth(width) }}
      inputProps={{ 'aria-label': label, maxLength: digits ? 9 : 200, ...(digits ? { inputMode: 'numeric' } : {}) }}
      startAdornment={
        search && (
          <InputAdornment position="start">
            <SearchOutlinedIcon sx={{ fontSize: 16 }} />
          </InputAdornment>
        )
      }
      endAdornment={
        value !== '' && (
          <IconButton
            aria-label={t('grid.clearField', { field: label })}
            onClick={() => onChange('')}
            sx={{ width: 22, height: 22, '& svg': { fontSize: 14 } }}
          >
            <CloseOutlinedIcon />
          </IconButton>
        )
      }
    />
  );
}

/** A select filter; the empty choice shows the label as a placeholder. */
export function SelectFilter({
  label,
  value,
  onChange,
  width,
  choices,
  all,
}: FieldProps & { readonly choices: readonly Choice[]; readonly all: string }) {
  const known = value === '' || choices.some((choice) => choice.value === value);
  return (
    <SelectBox
      label={label}
      placeholder={label}
      value={value}
      onChange={onChange}
      width={useFieldWidth(width)}
      choices={[{ value: '', label: all }, ...(known ? [] : [{ value, label: value }]), ...choices]}
    />
  );
}
