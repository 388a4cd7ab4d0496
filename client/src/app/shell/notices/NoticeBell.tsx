import { useQuery } from '@apollo/client/react';
import Badge from '@mui/material/Badge';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import NotificationsOutlinedIcon from '@mui/icons-material/NotificationsOutlined';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { BellDocument } from '../../../nouns/alerts/alerts.generated.js';
import { lazyPart } from '../../../components/lazyPart.js';
import { loadAllTexts } from '../../../i18n/i18n.js';
import { isNoticeRead } from '../../../lib/noticeRead.js';
import { useMay } from '../../../lib/permissions.js';
import { reader } from '../../../lib/reader.js';
import { session, useSession } from '../../../lib/session.js';

const NoticeCenter = lazyPart(
  async () => {
    // Public pages have not loaded the texts of this part.
    const [part] = await Promise.all([import('./NoticeCenter.js'), loadAllTexts()]);
    return part.NoticeCenter;
  },
  ({ open }) => open,
);

/** New alerts are shown after at most so many milliseconds. */
const pollInterval = 60_000;

/** Opens the notification centre. Shows the number of unseen alerts to admins, and a dot for an unread notice. */
export function NoticeBell() {
  const { t } = useTranslation();
  const isAdmin = useMay('ALERTS');
  const signedIn = useSession() !== null;
  // The centre belongs to the page on which it was opened, so navigating back closes it.
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const { data, refetch } = useQuery(BellDocument, {
    variables: { isAdmin, signedIn },
    pollInterval: isAdmin ? pollInterval : 0,
    skipPollAttempt: () => document.hidden,
  });
  const me = data?.me;
  useEffect(() => {
    if (!me || me.id !== session.get()?.id) return;
    // Users with a fixed role have permissions by their role number.
    session.grant(me.role === 'COMMON' ? (me.permissions ?? []) : []);
    // The settings may have been changed on another device.
    if (me.setting) reader.set({ currency: me.setting.displayCurrency ?? null, timeZone: me.setting.timeZone ?? null });
  }, [me]);
  const unseen = data?.alerts?.unseenCount ?? 0;
  const isUnread = !isNoticeRead(data?.notice ?? '');
  const label = unseen > 0 ? t('shell.notificationsNew', { count: unseen }) : t('shell.notifications');
  return (
    <>
      <Tooltip title={label}>
        <IconButton aria-label={label} aria-haspopup="dialog" onClick={() => setOpenAt(pathname)}>
          <Badge
            // An invisible badge keeps its last number, which the button's name no longer contains, so it is mounted
            // again.
            key={unseen > 0 ? 'count' : 'dot'}
            color="error"
            variant={unseen > 0 ? 'standard' : 'dot'}
            badgeContent={unseen > 0 ? unseen : undefined}
            invisible={unseen === 0 && !isUnread}
            max={99}
          >
            <NotificationsOutlinedIcon />
          </Badge>
        </IconButton>
      </Tooltip>
      <NoticeCenter
        open={openAt === pathname}
        onClose={() => {
          setOpenAt(null);
          void refetch();
        }}
      />
    </>
  );
}
