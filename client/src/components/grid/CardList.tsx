import type { GridValidRowModel } from '@mui/x-data-grid';
import Skeleton from '@mui/material/Skeleton';
import type { KeyboardEvent, ReactNode } from 'react';
import { Delayed } from '../Delayed.js';
import { isControl } from './isControl.js';
import type { ListGridProps } from './listGridProps.js';

/** The rows of a list as cards of three lines, for narrow screens. */
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
      <div style={{ minHeight: grid.pageSize * cardHeight }}>
        <Delayed>
          {Array.from({ length: grid.pageSize }, (_, index) => (
            <div key={index} className="card">
              <Skeleton variant="rectangular" width="50%" height={22} />
              <Skeleton variant="rectangular" width="80%" height={22} />
              <Skeleton variant="rectangular" width="40%" height={24} sx={{ mt: '4px' }} />
            </div>
          ))}
        </Delayed>
      </div>
    );
  }
  if (!rows || rows.length === 0) return nothing;
  return (
    <ul aria-label={label} className="cards">
      {rows.map((row) => (
        <li
          key={getRowId(row)}
          className={`card${onRowOpen ? ' card-opens' : ''}${isRowDimmed?.(row) ? ' faint' : ''}`}
          onClick={(event) => {
            if (onRowOpen && !isControl(event)) onRowOpen(row);
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
        </li>
      ))}
    </ul>
  );
}

/** Three lines, padding and border, px. */
const cardHeight = 93;

/** Three lines: name and amount, meta, chips and actions. */
export function RowCard({
  title,
  value,
  meta,
  metaEnd,
  wrapsMeta = false,
  chips,
  end,
}: {
  readonly title: ReactNode;
  readonly value?: ReactNode;
  readonly meta?: ReactNode;
  readonly metaEnd?: ReactNode;
  /** Whether the text wraps in as many lines as it needs, for sentences that cannot be read elsewhere. */
  readonly wrapsMeta?: boolean;
  readonly chips?: ReactNode;
  readonly end?: ReactNode;
}) {
  return (
    <>
      <div className="card-line card-head">
        <div className="ellipsis">{title}</div>
        <div>{value}</div>
      </div>
      {(meta ?? metaEnd) !== undefined && (
        <div className="card-line secondary">
          <div className={wrapsMeta ? 'anywhere' : 'ellipsis'}>{meta}</div>
          <div>{metaEnd}</div>
        </div>
      )}
      {(chips ?? end) !== undefined && (
        <div className="card-line card-foot">
          <div className="card-group card-wraps">{chips}</div>
          <div className="card-group">{end}</div>
        </div>
      )}
    </>
  );
}
