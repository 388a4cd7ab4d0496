import { skipToken, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { AlertItem } from '../../../nouns/alerts/AlertItem.js';
import { MarkAlertsSeenDocument, NoticeCenterDocument } from '../../../nouns/alerts/alerts.generated.js';
import { LazyRichText } from '../../../components/LazyRichText.js';
import { LoadFailure } from '../../../components/LoadFailure.js';
import { DrawerSection, SideDrawer } from '../../../components/SideDrawer.js';
import { markNoticeRead } from '../../../lib/noticeRead.js';
import { useMay } from '../../../lib/permissions.js';

/** The site's notice, and the alerts for admins. Everything it shows is marked as seen. */
export function NoticeCenter({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const isAdmin = useMay('ALERTS');
  const { data, error, refetch } = useQuery(
    NoticeCenterDocument,
    open ? { variables: { isAdmin }, fetchPolicy: 'network-only' } : skipToken,
  );
  const [markSeen] = useMutation(MarkAlertsSeenDocument);
  const active = data?.open?.items ?? [];
  const ended = data?.ended?.items ?? [];
  const newest = Math.max(0, ...active.map(({ id }) => id));
  const notice = data?.notice ?? '';
  useEffect(() => {
    if (!open || !data) return;
    markNoticeRead(notice);
    if (newest > 0) void markSeen({ variables: { until: newest } }).catch(() => undefined);
  }, [open, data, notice, newest, markSeen]);

  const none = <Box sx={{ color: 'text.secondary' }}>{t('alerts.none')}</Box>;
  return (
    <SideDrawer
      open={open}
      width={480}
      title={t('shell.notifications')}
      onClose={onClose}
      footer={
        isAdmin && (
          <Button variant="outlined" component={Link} to="/alert" onClick={onClose} sx={{ ml: 'auto' }}>
            {t('alerts.all')}
          </Button>
        )
      }
    >
      {error && <LoadFailure title={t('alerts.loadFailed')} error={error} onRetry={() => void refetch()} />}
      {data && (notice !== '' || !isAdmin) && (
        <DrawerSection title={t('alerts.notice')}>
          {notice === '' ? (
            <Box sx={{ color: 'text.secondary' }}>{t('alerts.noNotice')}</Box>
          ) : (
            <LazyRichText text={notice} />
          )}
        </DrawerSection>
      )}
      {data && isAdmin && (
        <DrawerSection title={t('alerts.open')}>
          {active.length === 0
            ? none
            : active.map((alert) => <AlertItem key={alert.id} alert={alert} onFollow={onClose} />)}
        </DrawerSection>
      )}
      {ended.length > 0 && (
        <DrawerSection title={t('alerts.endedRecently')}>
          {ended.map((alert) => (
            <AlertItem key={alert.id} alert={alert} onFollow={onClose} />
          ))}
        </DrawerSection>
      )}
    </SideDrawer>
  );
}
