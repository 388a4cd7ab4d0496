import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

export function Panel({
  title,
  danger = false,
  children,
}: {
  readonly title: string;
  readonly danger?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ padding: 2, minWidth: 0, ...(danger ? { borderColor: 'error.main' } : {}) }}
    >
      <Typography variant="h2" sx={{ fontSize: 14, mb: 1.5 }}>
        {title}
      </Typography>
      {children}
    </Card>
  );
}
