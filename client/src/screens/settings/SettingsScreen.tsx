import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Delayed } from '../../components/Delayed.js';
import { loadable } from '../../components/loadable.js';
import { useMay } from '../../lib/permissions.js';
import { rootRole, useSession } from '../../lib/session.js';
import { SectionStack } from './SectionStack.js';
import { SettingsDocument } from './settings.generated.js';
import { SettingSearch } from './SettingSearch.js';
import { tabsFor } from '../../nouns/settings/settingsAccess.js';
import { SettingsContext } from '../../nouns/settings/SettingsContext.js';
import { SettingsDraft } from '../../nouns/settings/settingsDraft.js';
import { UnsavedBar } from './UnsavedBar.js';

const { Component: ImportPanel } = loadable(
  async () => (await import('../../nouns/import/ImportPanel.js')).ImportPanel,
  Loading,
);
const { Component: RolesPanel } = loadable(
  async () => (await import('../../nouns/roles/RolesPanel.js')).RolesPanel,
  Loading,
);
const { Component: PriceEditor } = loadable(
  async () => (await import('../../nouns/prices/PriceEditor.js')).PriceEditor,
  Loading,
);

/** Tabs without settings, for root. */
const importTab = 'import';
const rolesTab = 'roles';

/** The settings that the user may see. Unsaved changes are kept across tabs; one bar saves them all. */
export function SettingsScreen() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const [draft] = useState(() => new SettingsDraft());
  const { data, error, refetch } = useQuery(SettingsDocument, { fetchPolicy: 'network-only' });
  const [ready, setReady] = useState(false);
  useEffect(() => {
    if (!data) return;
    draft.load(data.options.items).forEach((key) => draft.refuse(key, t('settings.changedMeanwhile')));
    setReady(true);
  }, [data, draft, t]);

  const user = useSession();
  const tabs = tabsFor(user);
  const mayPrice = useMay('PRICES');
  const isRoot = user?.role === rootRole;
  const showsImport = isRoot && params.get('tab') === importTab;
  const showsRoles = isRoot && params.get('tab') === rolesTab;
  const tab = tabs.find((name) => name === params.get('tab')) ?? tabs[0] ?? 'operation';
  const prices = mayPrice && tab === 'operation' && params.get('section') === 'prices';
  return (
    <SettingsContext.Provider value={draft}>
      <Box
        sx={{
          // Reserve space for the floating bar at the bottom.
          padding: { xs: '16px 8px 8px', sm: '24px 24px 20px' },
          maxWidth: 1168,
          minHeight: 'calc(100dvh - 48px)',
          mx: 'auto',
          display: 'flex',
          flexDirection: 'column',
        }}
      >
        <Box sx={{ px: { xs: 1, sm: 0 }, pb: '24px', minWidth: 0 }}>
          <title>{t('shell.settings')}</title>
          <Box
            sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', justifyContent: 'space-between' }}
          >
            <Typography variant="h1">{t('shell.settings')}</Typography>
            <SettingSearch />
          </Box>
          <Tabs
            value={showsImport ? importTab : showsRoles ? rolesTab : tab}
            variant="scrollable"
            scrollButtons={false}
            onChange={(_, next: string) => setParams({ tab: next })}
            sx={{ mt: 1, mb: '20px', borderBottom: '1px solid', borderColor: 'divider' }}
          >
            {tabs.map((name) => (
              <Tab key={name} value={name} label={t(`settings.tabs.${name}`)} />
            ))}
            {isRoot && <Tab value={rolesTab} label={t('settings.tabs.roles')} />}
            {isRoot && <Tab value={importTab} label={t('settings.tabs.import')} />}
          </Tabs>
          {error && !ready ? (
            <LoadFailure title={t('settings.loadFailed')} error={error} onRetry={() => void refetch()} />
          ) : !ready ? (
            <Loading />
          ) : showsImport ? (
            <ImportPanel />
          ) : showsRoles ? (
            <RolesPanel />
          ) : prices ? (
            <PriceEditor onReset={() => void refetch()} />
          ) : (
            <SectionStack key={tab} tab={tab} />
          )}
        </Box>
        {ready && <UnsavedBar />}
      </Box>
    </SettingsContext.Provider>
  );
}

function Loading() {
  return (
    <Delayed>
      <Skeleton variant="rectangular" height={440} sx={{ ml: { md: '200px' }, borderRadius: '8px' }} />
    </Delayed>
  );
}
