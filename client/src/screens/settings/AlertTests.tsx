import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { rootRole, useSession } from '../../lib/session.js';
import { SendTestAlertDocument, type AlertTarget } from './settings.generated.js';

const targets: readonly AlertTarget[] = ['MAIL', 'WEBHOOK', 'TELEGRAM', 'BARK'];

/** Sends a test message with the saved settings. For the super admin, who alone may set the targets. */
export function AlertTests() {
  const { t } = useTranslation();
  const act = useAction();
  const [send] = useMutation(SendTestAlertDocument);
  const [sending, setSending] = useState<AlertTarget | null>(null);
  if ((useSession()?.role ?? 0) < rootRole) return null;
  const test = async (target: AlertTarget) => {
    setSending(target);
    const name = t(`alerts.targets.${target}`);
    await act(() => send({ variables: { target } }).then(() => t('alerts.testSent', { target: name })));
    setSending(null);
  };
  return (
    <Box sx={{ mx: 2, padding: '12px 0 16px', borderTop: '1px solid', borderColor: 'divider' }}>
      <Box sx={{ fontWeight: 500, fontSize: 13 }}>{t('alerts.test')}</Box>
      <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 1 }}>{t('alerts.testHint')}</Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        {targets.map((target) => (
          <Button
            key={target}
            variant="outlined"
            loading={sending === target}
            disabled={sending !== null && sending !== target}
            onClick={() => void test(target)}
          >
            {t(`alerts.targets.${target}`)}
          </Button>
        ))}
      </Box>
    </Box>
  );
}
