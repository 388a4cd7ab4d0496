import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { DateTimeInput } from '../../components/form/DateTimeInput.js';
import { fromLocalTime, isLocalTime, toLocalTime } from '../../lib/localTime.js';
import { chosenZone, readerZone } from '../../lib/reader.js';
import { instantOf, wallClockOf } from '../../lib/zone.js';
import { useAction } from '../../components/useAction.js';
import { dateTime, integer } from '../../lib/format.js';
import { DeleteOldLogsDocument, OldLogsDocument } from './settings.generated.js';

/** One month earlier, for a date and time field. In a shorter month, its last day. */
export function monthBefore(now: Date): string {
  const clock = wallClockOf(now, chosenZone());
  const lastDay = new Date(Date.UTC(clock.year, clock.month - 1, 0)).getUTCDate();
  return toLocalTime(instantOf({ ...clock, month: clock.month - 1, day: Math.min(clock.day, lastDay) }, chosenZone()));
}

/** Deletes log rows before a time. The confirmation shows the number of rows. */
export function LogCleanup() {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const act = useAction();
  const client = useApolloClient();
  const [before, setBefore] = useState(() => monthBefore(new Date()));
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [remove] = useMutation(DeleteOldLogsDocument);

  const clean = async () => {
    const time = fromLocalTime(before);
    setMissing(!isLocalTime(before));
    if (!isLocalTime(before)) return;
    setBusy(true);
    await act(async () => {
      const { data } = await client.query({
        query: OldLogsDocument,
        variables: { filter: { at: { until: time.toISOString() } } },
        fetchPolicy: 'network-only',
      });
      const amount = `${integer(data?.logs.totalCount ?? 0)}${data?.logs.totalCapped ? '+' : ''}`;
      const question = {
        title: t('settings.cleanTitle', { time: dateTime(time) }),
        body: t('settings.cleanBody', { amount }),
      };
      if (!(await confirm(question))) return;
      const { data: done } = await remove({ variables: { before: time.toISOString() } });
      return t('settings.cleaned', { amount: integer(done?.deleteLogs.count ?? 0) });
    });
    setBusy(false);
  };

  return (
    <Box
      sx={{
        mx: 2,
        padding: '12px 0',
        borderTop: '1px solid',
        borderColor: 'divider',
        display: 'flex',
        flexDirection: { xs: 'column', sm: 'row' },
        gap: { xs: 1, sm: 3 },
        justifyContent: 'space-between',
        alignItems: { sm: 'center' },
      }}
    >
      <Box>
        <Box component="label" htmlFor="log-cleanup" sx={{ fontWeight: 500, fontSize: 13 }}>
          {t('settings.clean')}
        </Box>
        <Box sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
          {t('settings.cleanHint')} {t('time.zone', { zone: readerZone() })}
        </Box>
      </Box>
      <Box>
        <Box sx={{ display: 'flex', gap: 1 }}>
          <DateTimeInput
            id="log-cleanup"
            value={before}
            error={missing}
            onChange={setBefore}
            sx={{ width: 200 }}
            inputProps={{ 'aria-describedby': missing ? 'log-cleanup-problem' : undefined }}
          />
          <Button variant="outlined" color="error" loading={busy} onClick={() => void clean()}>
            {t('actions.delete')}
          </Button>
        </Box>
        {missing && (
          <FormHelperText error id="log-cleanup-problem" role="alert">
            {t('settings.cleanMissing')}
          </FormHelperText>
        )}
      </Box>
    </Box>
  );
}
