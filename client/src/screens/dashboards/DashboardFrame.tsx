import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHead, type PageHeadProps } from '../../components/PageHead.js';

/** The page of one dashboard: its head, with the link back to the list, and its panels. */
export function DashboardFrame({ children, ...head }: PageHeadProps & { readonly children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <PageHead {...head} list={{ label: t('shell.savedDashboards'), to: '/dashboards' }} />
      {children}
    </Box>
  );
}
