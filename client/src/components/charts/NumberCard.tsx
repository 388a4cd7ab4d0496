import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../ActionMenu.js';
import { RowMenu } from '../RowMenu.js';
import { Sparkline } from './Sparkline.js';

/** A number with its sparkline, above lines that compare or explain it. */
export function NumberCard({
  title,
  value,
  notes,
  values = [],
  notesHeight,
  actions = [],
  isFirst = false,
  isLoss = false,
}: {
  readonly title: string;
  /** Undefined while the value is loading. */
  readonly value: string | undefined;
  readonly notes: readonly string[];
  /** The values of the sparkline. */
  readonly values?: readonly number[];
  /** The minimum height of the notes, so that nothing moves when they are loaded. */
  readonly notesHeight?: Readonly<Record<'xs' | 'sm', number>>;
  readonly actions?: readonly RowAction[];
  /** Whether it is the number that a page begins with. */
  readonly isFirst?: boolean;
  /** Whether the number is below zero. */
  readonly isLoss?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ padding: '12px 16px', minWidth: 0, display: 'flex', flexDirection: 'column' }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1 }}>
        <Box sx={{ minWidth: 0 }}>
          <Box sx={{ fontSize: 12.5, lineHeight: '18px', color: 'text.secondary' }}>{title}</Box>
          <Box
            className="num"
            sx={{
              fontSize: isFirst ? 36 : 24,
              lineHeight: isFirst ? '44px' : '32px',
              fontWeight: 600,
              letterSpacing: '-0.02em',
              whiteSpace: 'nowrap',
              ...(isLoss ? { color: 'error.main' } : {}),
            }}
          >
            {value ?? (
              <Skeleton
                variant="rectangular"
                aria-label={t('grid.loading')}
                width={96}
                height={isFirst ? 36 : 24}
                sx={{ my: '4px' }}
              />
            )}
          </Box>
        </Box>
        {!isFirst && <Sparkline values={values} />}
        {actions.length > 0 && <RowMenu label={t('dashboard.moreOf', { name: title })} actions={actions} />}
      </Box>
      <Box sx={notesHeight && { minHeight: notesHeight }}>
        {notes.map((note, index) => (
          <Box
            key={index}
            className="num"
            sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary', overflowWrap: 'anywhere' }}
          >
            {note}
          </Box>
        ))}
      </Box>
      {isFirst && (
        // The room is kept while the values load.
        <Box sx={{ display: { xs: 'none', lg: 'block' }, height: 88, mt: 'auto', pt: 1 }}>
          <Sparkline isWide values={values} />
        </Box>
      )}
    </Card>
  );
}
