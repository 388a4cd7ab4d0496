import Button from '@mui/material/Button';
import CalendarTodayOutlinedIcon from '@mui/icons-material/CalendarTodayOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import type { TimeRange } from '../../lib/timeRange.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { TimeRangeForm, type RangeChoices } from './TimeRangeForm.js';

/** A time range in one field; opens a form with presets. */
export function TimeRangeField({
  value,
  onChange,
  width,
  isAll = false,
  isIcon = false,
  presets,
  more,
}: RangeChoices & {
  readonly value: TimeRange;
  readonly onChange: (range: TimeRange) => void;
  readonly width: number;
  /** Whether the range has no bounds. Its start is then only the first day that the form offers. */
  readonly isAll?: boolean;
  /** Whether the range is already named beside the field. */
  readonly isIcon?: boolean;
}) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const mobile = useIsMobile();
  const textOf = (detail: 'monthDay' | 'minutes'): string =>
    `${dateTime(value.from, detail)} – ${value.to ? dateTime(value.to, detail) : t('time.now')}`;
  const named = presets?.find(({ isChosen }) => isChosen)?.label;
  const text = isAll ? t('time.allTime') : (named ?? textOf(mobile && !isIcon ? 'monthDay' : 'minutes'));
  return (
    <>
      <Button
        variant="outlined"
        className="num"
        aria-haspopup="dialog"
        aria-label={t('time.range', { range: text })}
        startIcon={<CalendarTodayOutlinedIcon sx={{ color: 'text.secondary' }} />}
        {...(isIcon ? { title: text } : {})}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{
          ...(isIcon ? { minWidth: 32, '& .MuiButton-startIcon': { m: 0 } } : { width: { sm: width } }),
          justifyContent: 'flex-start',
          fontWeight: 400,
          paddingX: '10px',
          overflow: 'hidden',
        }}
      >
        {!isIcon && text}
      </Button>
      <TimeRangeForm
        anchor={anchor}
        onClose={() => setAnchor(null)}
        value={value}
        {...(presets
          ? {
              presets: presets.map((preset) => ({
                ...preset,
                onChoose: () => {
                  preset.onChoose();
                  setAnchor(null);
                },
              })),
            }
          : {})}
        more={more}
        onApply={(range) => {
          onChange(range);
          setAnchor(null);
        }}
      />
    </>
  );
}
