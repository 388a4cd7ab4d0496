import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fromLocalTime, isLocalTime, toLocalTime } from '../../lib/localTime.js';
import { readerZone } from '../../lib/reader.js';
import { presetNames, timePresets } from '../../lib/timePresets.js';
import { DateTimeInput } from '../form/DateTimeInput.js';
import { Field } from '../form/Field.js';
import type { TimeRange } from '../../lib/timeRange.js';

const isNoTime = (text: string): boolean => text !== '' && !isLocalTime(text);

export interface RangeChoices {
  /** Ranges with a name. Absent: the named ranges of lists. */
  readonly presets?: ReadonlyArray<{
    readonly label: string;
    readonly isChosen: boolean;
    readonly onChoose: () => void;
  }>;
  /** Choices that belong to the range, below its presets. */
  readonly more?: ReactNode;
}

interface FormProps extends RangeChoices {
  readonly value: TimeRange;
  readonly onApply: (range: TimeRange) => void;
}

/** Start, end and presets of a time range, in a popover at the field. */
export function TimeRangeForm({
  anchor,
  onClose,
  ...form
}: FormProps & {
  /** The anchor of the menu; null while it is closed. */
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Popover
      open={anchor !== null}
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
      slotProps={{ paper: { sx: { mt: '4px' }, role: 'dialog', 'aria-label': t('time.choose') } }}
    >
      {anchor && <RangeForm {...form} />}
    </Popover>
  );
}

function RangeForm({ value, onApply, presets, more }: FormProps) {
  const { t } = useTranslation();
  const [from, setFrom] = useState(toLocalTime(value.from));
  const [to, setTo] = useState(value.to ? toLocalTime(value.to) : '');
  const [checked, setChecked] = useState(false);
  const isProblem = (text: string) => checked && isNoTime(text);
  const reversed = to !== '' && fromLocalTime(to) <= fromLocalTime(from);
  // With an open end, a range that starts in the future is empty.
  const isAhead = to === '' && fromLocalTime(from).getTime() >= Date.now();
  return (
    <Box
      component="form"
      sx={{ padding: 2, width: 300, display: 'flex', flexDirection: 'column', gap: 1.5 }}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (isNoTime(from) || isNoTime(to)) setChecked(true);
        else if (from !== '' && !reversed && !isAhead) {
          onApply({ from: fromLocalTime(from), to: to === '' ? null : fromLocalTime(to) });
        }
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
        {presets
          ? presets.map(({ label, isChosen, onChoose }) => (
              <Button
                key={label}
                aria-pressed={isChosen}
                sx={isChosen ? { backgroundColor: 'action.selected' } : {}}
                onClick={onChoose}
              >
                {label}
              </Button>
            ))
          : presetNames.map((name) => (
              <Button key={name} onClick={() => onApply(timePresets[name](new Date()))}>
                {t(`time.presets.${name}`)}
              </Button>
            ))}
      </Box>
      {more}
      <Field
        label={t('time.from')}
        id="range-from"
        error={isProblem(from) ? t('time.invalid') : isAhead ? t('time.ahead') : undefined}
      >
        <DateTimeInput id="range-from" required value={from} error={isProblem(from) || isAhead} onChange={setFrom} />
      </Field>
      <Field
        label={t('time.to')}
        id="range-to"
        optional
        error={isProblem(to) ? t('time.invalid') : reversed ? t('time.reversed') : undefined}
        hint={t('time.emptyIsNow')}
      >
        <DateTimeInput id="range-to" value={to} error={reversed || isProblem(to)} onChange={setTo} />
      </Field>
      <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('time.zone', { zone: readerZone() })}</Box>
      <Button type="submit" variant="contained">
        {t('actions.apply')}
      </Button>
    </Box>
  );
}
