import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { useFormat } from '../../lib/useFormat.js';
import { Panel } from './Panel.js';
import { CheckInDocument } from './personal.generated.js';

export function CheckInCard({ canCheckIn, onDone }: { readonly canCheckIn: boolean; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const [checkIn, { loading }] = useMutation(CheckInDocument);
  const act = useAction();
  const run = () =>
    act(
      async () => {
        const { data } = await checkIn();
        onDone();
        return t('personal.checkedIn', { amount: money(data?.checkIn.quota ?? 0, 'amount') });
      },
      undefined,
      (reason) => t('personal.checkInFailed', { reason }),
    );
  return (
    <Panel title={t('personal.checkIn')}>
      <Button variant="outlined" fullWidth disabled={!canCheckIn} loading={loading} onClick={() => void run()}>
        {canCheckIn ? t('personal.checkInNow') : t('personal.checkInDone')}
      </Button>
    </Panel>
  );
}
