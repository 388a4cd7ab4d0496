import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { GridValidRowModel } from '@mui/x-data-grid';
import type { KeyboardEvent, ReactNode } from 'react';
import { Delayed } from '../Delayed.js';
import type { ListGridProps } from './listGridProps.js';

/** The rows of a list below each other, each three lines, for narrow screens. */
export function CardList<R extends GridValidRowModel>({
  rows,
  error,
  grid,
  getRowId,
  onRowOpen,
  isRowDimmed,
  renderCard,
  nothing,
  label,
}: ListGridProps<R> & { readonly nothing: ReactNode }) {
  if (!rows && !error) {
    return (
      <Box sx={{ minHeight: grid.pageSize * cardHeight }}>
        <Delayed>
          {Array.from({ length: grid.pageSize }, (_, index) => (
            <Box key={index} sx={{ ...cardStyle, height: cardHeight }}>
              <Skeleton width="50%" height={22} />
              <Skeleton width="80%" height={22} />
              <Skeleton width="40%" height={24} sx={{ mt: '4px' }} />
            </Box>
          ))}
        </Delayed>
      </Box>
    );
  }
  if (!rows || rows.length === 0) return nothing;
  return (
    <Box component="ul" aria-label={label} sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {rows.map((row) => (
        <Box
          key={getRowId(row)}
          component="li"
          sx={[
            cardStyle,
            { cursor: onRowOpen ? 'pointer' : undefined },
            isRowDimmed?.(row) ? { color: 'text.disabled' } : {},
          ]}
          onClick={(event) => {
            const control = event.target instanceof Element && event.target.closest('button, a, input, label');
            if (onRowOpen && !control) onRowOpen(row);
          }}
          {...(onRowOpen
            ? {
                tabIndex: 0,
                onKeyDown: (event: KeyboardEvent) => {
                  if (event.key === 'Enter' && event.target === event.currentTarget) onRowOpen(row);
                },
              }
            : {})}
        >
          {renderCard(row)}
        </Box>
      ))}
    </Box>
  );
}

/** Three lines, padding and line, px. */
const cardHeight = 93;

const cardStyle = {
  padding: '10px 12px',
  borderBottom: '1px solid',
  borderColor: 'divider',
} as const;

/** Three lines: name and amount, meta, chips and actions. */
export function RowCard({
  title,
  value,
  meta,
  metaEnd,
  chips,
  end,
}: {
  readonly title: ReactNode;
  readonly value?: ReactNode;
  readonly meta?: ReactNode;
  readonly metaEnd?: ReactNode;
  readonly chips?: ReactNode;
  readonly end?: ReactNode;
}) {
  const line = { display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 1, minWidth: 0 } as const;
  return (
    <>
      <Box sx={{ ...line, fontSize: 14, lineHeight: '22px', fontWeight: 500 }}>
        <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{title}</Box>
        <Box sx={{ flexShrink: 0 }}>{value}</Box>
      </Box>
      {(meta ?? metaEnd) !== undefined && (
        <Box sx={{ ...line, fontSize: 13, lineHeight: '22px', color: 'text.secondary' }}>
          <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{meta}</Box>
          <Box sx={{ flexShrink: 0 }}>{metaEnd}</Box>
        </Box>
      )}
      {(chips ?? end) !== undefined && (
        <Box sx={{ ...line, mt: '4px', minHeight: 24, fontSize: 13 }}>
          <Box sx={{ display: 'flex', gap: '4px', flexWrap: 'wrap', alignItems: 'center', minWidth: 0 }}>{chips}</Box>
          <Box sx={{ display: 'flex', gap: '4px', alignItems: 'center', flexShrink: 0 }}>{end}</Box>
        </Box>
      )}
    </>
  );
}
