import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import { RichText } from '../../components/RichText.js';
import { NameValues } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { dateTime } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { LatestReleaseDocument, type LatestReleaseQuery } from './settings.generated.js';

type Release = NonNullable<LatestReleaseQuery['latestRelease']>;

/** The running version, its start time, and a check for a newer release. */
export function VersionPanel() {
  const { t } = useTranslation();
  const client = useApolloClient();
  const { version, startTime } = useStatus();
  const [checking, setChecking] = useState(false);
  const [release, setRelease] = useState<Release | null>(null);
  const [open, setOpen] = useState(false);
  const check = async () => {
    setChecking(true);
    try {
      const { data } = await client.query({ query: LatestReleaseDocument, fetchPolicy: 'no-cache' });
      const found = data?.latestRelease ?? null;
      if (found === null) toast.error(t('settings.noReleases'));
      else if (found.isCurrent) toast.success(t('settings.newest', { tag: found.tag }));
      else {
        setRelease(found);
        setOpen(true);
      }
    } catch (error) {
      toast.failure(error, t, (reason) => t('settings.updateFailed', { reason }));
    }
    setChecking(false);
  };
  return (
    <Box sx={{ mx: 2, padding: '12px 0 16px', borderTop: '1px solid', borderColor: 'divider' }}>
      <NameValues
        rows={[
          [t('home.version'), version],
          [t('home.startTime'), startTime > 0 ? dateTime(startTime * 1000) : null],
        ]}
      />
      <Button variant="outlined" loading={checking} onClick={() => void check()} sx={{ mt: 1.5 }}>
        {t('settings.checkUpdate')}
      </Button>
      <ContentDialog
        open={open}
        title={t('settings.newVersion', { tag: release?.tag ?? '' })}
        onClose={() => setOpen(false)}
      >
        <RichText text={release?.notes ?? ''} />
      </ContentDialog>
    </Box>
  );
}
