import Autocomplete from '@mui/material/Autocomplete';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../../lib/useMediaFlags.js';

/** A filter with many choices: typing narrows them, and a value that is not among them can be typed, too. */
export function ComboFilter({
  label,
  value,
  onChange,
  choices,
  width,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly string[];
  /** Width in px on wide screens; full width on phones. */
  readonly width: number;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  return (
    <Autocomplete<string, false, false, true>
      freeSolo
      autoSelect
      options={choices}
      value={value === '' ? null : value}
      onChange={(_, next) => onChange(next?.trim() ?? '')}
      clearText={t('grid.clearField', { field: label })}
      sx={{ width: mobile ? '100%' : width }}
      renderInput={({ id, slotProps }) => (
        <OutlinedInput
          id={id}
          fullWidth
          placeholder={label}
          {...slotProps.input}
          inputProps={{ ...slotProps.htmlInput, 'aria-label': label }}
        />
      )}
    />
  );
}
