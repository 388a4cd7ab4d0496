import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import OutlinedInput from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import SearchOutlinedIcon from '@mui/icons-material/SearchOutlined';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly width: number;
}

/** A text filter with a clear cross; as `search` it has the glass and takes the `/` key. */
export function TextFilter({
  label,
  value,
  onChange,
  width,
  search = false,
}: FieldProps & { readonly search?: boolean }) {
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
    return () => {
      removeEventListener('keydown', focus);
    };
  }, [search]);
  return (
    <OutlinedInput
      inputRef={input}
      value={value}
      placeholder={label}
      inputProps={{ 'aria-label': label, maxLength: 200 }}
      onChange={(event) => {
        onChange(event.target.value);
      }}
      startAdornment={
        search && (
          <InputAdornment position="start" sx={{ mr: 0 }}>
            <SearchOutlinedIcon sx={{ fontSize: 16 }} />
          </InputAdornment>
        )
      }
      endAdornment={
        value !== '' && (
          <IconButton
            aria-label={t('grid.clearField', { field: label })}
            onClick={() => {
              onChange('');
            }}
            sx={{ width: 22, height: 22, '& svg': { fontSize: 14 } }}
          >
            <CloseOutlinedIcon />
          </IconButton>
        )
      }
      sx={{ width: { xs: '100%', sm: width } }}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
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
    <Select
      displayEmpty
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
      inputProps={{ 'aria-label': label }}
      renderValue={(selected) =>
        selected === '' ? (
          <span style={{ opacity: 0.75 }}>{label}</span>
        ) : (
          (choices.find((choice) => choice.value === selected)?.label ?? selected)
        )
      }
      sx={{ width: { xs: '100%', sm: width } }}
      MenuProps={{ slotProps: { paper: { sx: { maxHeight: 360 } } } }}
    >
      <MenuItem value="">{all}</MenuItem>
      {!known && <MenuItem value={value}>{value}</MenuItem>}
      {choices.map((choice) => (
        <MenuItem key={choice.value} value={choice.value}>
          {choice.label}
        </MenuItem>
      ))}
    </Select>
  );
}
