import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import Popover from '@mui/material/Popover';
import CalendarTodayOutlinedIcon from '@mui/icons-material/CalendarTodayOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { Field } from '../form/Field.js';

export interface TimeRange {
  readonly from: Date;
  /** Null: until now. */
  readonly to: Date | null;
}

const toInput = (date: Date): string => dateTime(date, 'minutes').replace(' ', 'T');

const startOfDay = (daysAgo: number): Date => {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() - daysAgo);
  return date;
};

/** Two ends in one field; opens a small form with common ranges. */
export function TimeRangeField({
  value,
  onChange,
  width,
}: {
  readonly value: TimeRange;
  readonly onChange: (range: TimeRange) => void;
  readonly width: number;
}) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [used, setUsed] = useState(false);
  const mobile = useIsMobile();
  const detail = mobile ? 'card' : 'minutes';
  const text = `${dateTime(value.from, detail)} – ${value.to ? dateTime(value.to, detail) : t('time.now')}`;
  return (
    <>
      <Button
        variant="outlined"
        className="num"
        aria-haspopup="dialog"
        aria-label={t('time.range', { range: text })}
        startIcon={<CalendarTodayOutlinedIcon sx={{ color: 'text.secondary' }} />}
        onClick={(event) => {
          setUsed(true);
          setAnchor(event.currentTarget);
        }}
        sx={{
          width: { xs: '100%', sm: width },
          justifyContent: 'flex-start',
          fontWeight: 400,
          paddingX: '10px',
          overflow: 'hidden',
        }}
      >
        {text}
      </Button>
      {used && (
        <Popover
          open={anchor !== null}
          anchorEl={anchor}
          onClose={() => {
            setAnchor(null);
          }}
          anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
          slotProps={{ paper: { sx: { mt: '4px' }, role: 'dialog', 'aria-label': t('time.choose') } }}
        >
          {anchor && (
            <RangeForm
              value={value}
              onApply={(range) => {
                onChange(range);
                setAnchor(null);
              }}
            />
          )}
        </Popover>
      )}
    </>
  );
}

function RangeForm({ value, onApply }: { readonly value: TimeRange; readonly onApply: (range: TimeRange) => void }) {
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
          <Button
            key={days}
            onClick={() => {
              onApply({ from: startOfDay(days), to: null });
            }}
          >
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
          onChange={(event) => {
            setFrom(event.target.value);
          }}
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
          onChange={(event) => {
            setTo(event.target.value);
          }}
        />
      </Field>
      <Button type="submit" variant="contained">
        {t('actions.apply')}
      </Button>
    </Box>
  );
}
