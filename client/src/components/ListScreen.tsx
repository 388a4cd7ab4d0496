import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { SavedViews } from './SavedViews.js';

/** Layout of a list screen: title row with actions at its right, then notice, badges, filters and grid. */
export function ListScreen({
  title,
  actions,
  notice,
  badges,
  filters,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly notice?: ReactNode;
  readonly badges?: ReactNode;
  readonly filters?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <title>{title}</title>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 32 }}>
        <Typography variant="h1" sx={{ flex: 1, minWidth: 0 }}>
          {title}
        </Typography>
        {filters && <SavedViews />}
        {actions}
      </Box>
      {notice}
      {badges}
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, minWidth: 0 }}>
        {filters}
        {children}
      </Box>
    </Box>
  );
}
