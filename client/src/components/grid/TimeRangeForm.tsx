import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import Popover from '@mui/material/Popover';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import { Field } from '../form/Field.js';
import type { TimeRange } from './TimeRangeField.js';

const toInput = (date: Date): string => dateTime(date, 'minutes').replace(' ', 'T');

const startOfDay = (daysAgo: number): Date => {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() - daysAgo);
  return date;
};

interface FormProps {
  readonly value: TimeRange;
  readonly onApply: (range: TimeRange) => void;
}

/** Start, end and presets of a time range, in a popover at the field. */
export function TimeRangeForm({
  anchor,
  onClose,
  ...form
}: FormProps & {
  /** Null: closed. */
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

function RangeForm({ value, onApply }: FormProps) {
  const { t } = useTranslation();
  const [from, setFrom] = useState(toInput(value.from));
  const [to, setTo] = useState(value.to ? toInput(value.to) : '');
  const reversed = to !== '' && new Date(to) <= new Date(from);
  const shortcuts = [
    { label: t('time.today'), days: 0 },
    { label: t('time.lastDays', { count: 7 }), days: 6 },
    { label: t('time.lastDays', { count: 30 }), days: 29 },
  ];
  return (
    <Box
      component="form"
      sx={{ padding: 2, width: 300, display: 'flex', flexDirection: 'column', gap: 1.5 }}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (from !== '' && !reversed) onApply({ from: new Date(from), to: to === '' ? null : new Date(to) });
      }}
    >
      <Box sx={{ display: 'flex', gap: 0.5 }}>
        {shortcuts.map(({ label, days }) => (
          <Button key={days} onClick={() => onApply({ from: startOfDay(days), to: null })}>
            {label}
          </Button>
        ))}
      </Box>
      <Field label={t('time.from')} id="range-from">
        <OutlinedInput
          id="range-from"
          type="datetime-local"
          required
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
      </Field>
      <Field
        label={t('time.to')}
        id="range-to"
        optional
        error={reversed ? t('time.reversed') : undefined}
        hint={t('time.emptyIsNow')}
      >
        <OutlinedInput
          id="range-to"
          type="datetime-local"
          value={to}
          error={reversed}
          onChange={(event) => setTo(event.target.value)}
        />
      </Field>
      <Button type="submit" variant="contained">
        {t('actions.apply')}
      </Button>
    </Box>
  );
}
