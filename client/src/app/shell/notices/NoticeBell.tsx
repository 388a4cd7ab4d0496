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
    // Public pages have not loaded its texts.
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
  // It belongs to the page on which it was opened: going back closes it.
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
    // Fixed roles hold theirs by their number.
    session.grant(me.role === 'COMMON' ? (me.permissions ?? []) : []);
    // They may have been changed on another device.
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
            // A badge that becomes invisible keeps its last number, which the name of the button no longer has.
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
