import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import type { ReactNode } from 'react';

/** A short list of objects in a card: name and details, figures, and a menu. */
export function RowList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Card component="ul" aria-label={label} sx={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {children}
    </Card>
  );
}

export function Row({
  title,
  detail,
  figure,
  menu,
}: {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly figure?: ReactNode;
  readonly menu?: ReactNode;
}) {
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 2,
        padding: '12px 16px',
        borderTop: '1px solid',
        borderColor: 'divider',
        '&:first-of-type': { borderTop: 0 },
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            alignItems: 'center',
            gap: 1,
            fontWeight: 500,
            overflowWrap: 'anywhere',
          }}
        >
          {title}
        </Box>
        {detail && <Box sx={{ fontSize: 12.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>{detail}</Box>}
      </Box>
      {figure !== undefined && (
        <Box className="num" sx={{ fontSize: 13, textAlign: 'right', whiteSpace: 'nowrap' }}>
          {figure}
        </Box>
      )}
      {menu}
    </Box>
  );
}
