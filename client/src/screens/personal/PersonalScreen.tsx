import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import Typography from '@mui/material/Typography';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Delayed } from '../../components/Delayed.js';
import { useReader } from '../../lib/reader.js';
import { isOneColumn } from '../../lib/useMediaFlags.js';
import { AccountTab } from './AccountTab.js';
import { BudgetTab } from './BudgetTab.js';
import { CheckInCard } from './CheckInCard.js';
import { DeleteAccount } from './DeleteAccount.js';
import { DisplayTab } from './DisplayTab.js';
import { IdentityCard } from './IdentityCard.js';
import { InviteCard } from './InviteCard.js';
import { ModelsCard } from './ModelsCard.js';
import { NotificationTab } from './NotificationTab.js';
import { OwnAccountEditor } from './OwnAccountEditor.js';
import { PersonalDocument } from './personal.generated.js';
import { SettingSwitch } from './SettingSwitch.js';

const tabs = ['account', 'budgets', 'notifications', 'price', 'display'] as const;
type TabName = (typeof tabs)[number];

/** The user's account: identity at the left, settings at the right. */
export function PersonalScreen() {
  const { t } = useTranslation();
  // Times below are drawn in the zone of the reader.
  useReader();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const editing = useLocation().pathname === '/user/edit';
  const { data, error, refetch } = useQuery(PersonalDocument, { fetchPolicy: 'cache-and-network' });
  const tab: TabName = tabs.find((name) => name === params.get('tab')) ?? 'account';
  // In one column, the tab that a link names is below everything else.
  const isNamed = useRef(params.has('tab') && isOneColumn());
  const showNamed = useCallback((element: HTMLElement | null) => {
    if (!element || !isNamed.current) return;
    isNamed.current = false;
    element.scrollIntoView();
  }, []);
  const reload = () => void refetch();
  const me = data?.me;
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, maxWidth: 1088, mx: 'auto' }}>
      <title>{t('shell.personal')}</title>
      <Typography variant="h1" sx={{ mb: 2 }}>
        {t('shell.personal')}
      </Typography>
      {error && !data ? (
        <LoadFailure title={t('personal.loadFailed')} error={error} onRetry={reload} />
      ) : !data || !me ? (
        <Delayed>
          <Skeleton variant="rectangular" height={420} sx={{ borderRadius: '8px' }} />
        </Delayed>
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: '360px minmax(0, 1fr)' },
            alignItems: 'start',
          }}
        >
          <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
            <IdentityCard me={me} />
            {data.status.checkInEnabled && <CheckInCard canCheckIn={data.canCheckIn} onDone={reload} />}
            <InviteCard me={me} code={data.inviteCode} onTransferred={reload} />
            <ModelsCard models={data.myModels} />
          </Box>
          <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
            <Box ref={showNamed} sx={{ minWidth: 0, scrollMarginTop: 56 }}>
              <Tabs
                value={tab}
                variant="scrollable"
                allowScrollButtonsMobile
                onChange={(_, next: TabName) => setParams({ tab: next })}
                sx={{ mb: 2, borderBottom: '1px solid', borderColor: 'divider' }}
              >
                {tabs.map((name) => (
                  <Tab key={name} value={name} label={t(`personal.tabs.${name}`)} />
                ))}
              </Tabs>
              <KeptTab isShown={tab === 'account'}>
                <AccountTab me={me} onChanged={reload} />
              </KeptTab>
              {tab === 'budgets' && <BudgetTab userId={me.id} />}
              <KeptTab isShown={tab === 'notifications'}>
                <NotificationTab setting={data.mySetting} onSaved={reload} />
              </KeptTab>
              <KeptTab isShown={tab === 'price'}>
                <SettingSwitch field="acceptsUnpricedModels" setting={data.mySetting} onSaved={reload} />
              </KeptTab>
              <KeptTab isShown={tab === 'display'}>
                <DisplayTab setting={data.mySetting} onSaved={reload} />
              </KeptTab>
            </Box>
            {tab === 'account' && (
              <>
                <SettingSwitch field="recordsAddresses" setting={data.mySetting} onSaved={reload} />
                <DeleteAccount username={me.username} />
              </>
            )}
          </Box>
        </Box>
      )}
      {editing && me && (
        <OwnAccountEditor me={me} onSaved={reload} onClosed={() => void navigate('/personal', { replace: true })} />
      )}
    </Box>
  );
}

/** A form that was opened stays, hidden, so that what was typed there is not lost. */
function KeptTab({ isShown, children }: { readonly isShown: boolean; readonly children: ReactNode }) {
  const [wasShown, setWasShown] = useState(isShown);
  if (isShown && !wasShown) setWasShown(true);
  return wasShown && <div hidden={!isShown}>{children}</div>;
}
