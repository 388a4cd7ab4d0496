import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { NameValues } from '../../components/SideDrawer.js';
import { dateTime } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';

/** What runs here, and since when. */
export function VersionPanel() {
  const { t } = useTranslation();
  const { version, startTime } = useStatus();
  return (
    <Box sx={{ mx: 2, padding: '12px 0 16px', borderTop: '1px solid', borderColor: 'divider' }}>
      <NameValues
        rows={[
          [t('home.version'), version],
          [t('home.startTime'), startTime > 0 ? dateTime(startTime * 1000) : null],
        ]}
      />
    </Box>
  );
}
