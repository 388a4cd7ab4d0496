import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** The largest factor and the largest limit that the server accepts. */
const [maxRatio, maxLimit] = [1_000_000_000, 2_147_483_647];

/** The number that was typed; null unless the server takes it. `Number` would read 0x10, and 1e400 as infinite. */
function typedNumber(text: string, whole: boolean): number | null {
  if (!(whole ? /^\d+$/ : /^(\d+\.?\d*|\.\d+)$/).test(text.trim())) return null;
  const number = Number(text);
  return number <= (whole ? maxLimit : maxRatio) ? number : null;
}

/** A number that may be absent. While the field has the focus, the typed text is not reformatted. */
export function GroupNumber({
  label,
  caption,
  value,
  needed,
  whole,
  unset,
  disabled,
  onChange,
}: {
  readonly label: string;
  readonly caption: string;
  readonly value: number | null;
  readonly needed: boolean;
  readonly whole: boolean;
  /** Shown instead of an absent number: the value that then applies. */
  readonly unset: string;
  readonly disabled: boolean;
  readonly onChange: (value: number | null) => void;
}) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const shown = typed ?? (value === null ? '' : String(value));
  // A stored number may have an exponent.
  const isWrong = typed !== null && (typed.trim() === '' ? needed : typedNumber(typed, whole) === null);
  return (
    <Box>
      <Box aria-hidden sx={{ fontSize: 12, color: 'text.secondary', mb: '2px' }}>
        {caption}
      </Box>
      <OutlinedInput
        fullWidth
        value={shown}
        error={isWrong}
        disabled={disabled}
        placeholder={unset}
        onChange={({ target }) => {
          setTyped(target.value);
          setRefused(null);
          const next = typedNumber(target.value, whole);
          if (next !== null || (target.value.trim() === '' && !needed)) onChange(next);
        }}
        onBlur={() => {
          if (isWrong && typed !== null) setRefused(typed);
          setTyped(null);
        }}
        inputProps={{ 'aria-label': label, 'aria-invalid': isWrong, inputMode: 'decimal', className: 'num' }}
      />
      {refused !== null && (
        <FormHelperText error role="alert">
          {t(whole ? 'settings.groups.wholeNotUsed' : 'settings.groups.notUsed', {
            typed: refused.trim(),
            maximum: whole ? maxLimit : maxRatio,
          })}
        </FormHelperText>
      )}
    </Box>
  );
}
