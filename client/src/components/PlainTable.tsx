import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import type { ReactNode } from 'react';

/** A short table of figures in a card. The first columns are texts, of which one names the row; figures are aligned right. */
export function PlainTable({
  label,
  title,
  heads,
  texts = 1,
  note,
  isGrouped = false,
  children,
}: {
  /** The name of the table for screen readers. Needed when there is no title. */
  readonly label: string;
  readonly title?: string;
  readonly heads: readonly string[];
  /** How many columns are texts. */
  readonly texts?: number;
  /** Below the table. */
  readonly note?: ReactNode;
  /** The rows are in bodies of their own, each with a head. */
  readonly isGrouped?: boolean;
  /** The rows. */
  readonly children: ReactNode;
}) {
  return (
    <Card component="section" aria-label={label} sx={{ overflowX: 'auto' }} tabIndex={0}>
      {title && (
        <Box component="h2" sx={{ m: 0, padding: '12px 12px 4px', fontSize: 14, lineHeight: '20px', fontWeight: 600 }}>
          {title}
        </Box>
      )}
      <Box
        component="table"
        sx={{
          width: '100%',
          borderCollapse: 'collapse',
          '& th, & td': { padding: '8px 12px', textAlign: 'right', borderTop: '1px solid', borderColor: 'divider' },
          '& thead th': { border: 0, fontSize: 12, fontWeight: 500, color: 'text.secondary', whiteSpace: 'nowrap' },
          [`& tr > :nth-child(-n + ${String(texts)})`]: { textAlign: 'left' },
          '& th:first-of-type': { fontWeight: 400, overflowWrap: 'anywhere', minWidth: 120 },
        }}
      >
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {isGrouped ? children : <tbody>{children}</tbody>}
      </Box>
      {note && <Box sx={{ padding: '8px 12px', fontSize: 12, color: 'text.secondary' }}>{note}</Box>}
    </Card>
  );
}
