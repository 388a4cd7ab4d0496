import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { useActing } from '../lib/acting.js';
import { PageHead, type PageHeadProps } from './PageHead.js';

/** Layout of a list screen: its head, then notice, badges, filters and grid. */
export function ListScreen({
  notice,
  badges,
  filters,
  children,
  ...head
}: PageHeadProps & {
  readonly notice?: ReactNode;
  readonly badges?: ReactNode;
  readonly filters?: ReactNode;
  readonly children: ReactNode;
}) {
  const isPart = useActing() !== null;
  return (
    <Box sx={{ padding: isPart ? 0 : { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <PageHead {...head} hasViews={Boolean(filters)} />
      {notice}
      {badges}
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, minWidth: 0 }}>
        {filters}
        {children}
      </Box>
    </Box>
  );
}
