import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextFilter } from '../../components/grid/filterFields.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { describeFailure } from '../../lib/errors.js';
import { responseTime } from '../../lib/format.js';
import { TestChannelDocument, type ChannelRowFragment } from './channels.generated.js';
import { runThree } from './runThree.js';

type Result =
  | { readonly state: 'running' }
  | { readonly state: 'passed'; readonly milliseconds: number }
  | { readonly state: 'failed'; readonly reason: string };

/** Tests of a channel's models: one by one, or all of them, three at a time, until stopped. */
export function ChannelTestDialog({
  channel,
  onClose,
}: {
  readonly channel: ChannelRowFragment;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const [search, setSearch] = useState('');
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [running, setRunning] = useState(false);
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const models = channel.models.filter((model) => model.toLowerCase().includes(search.trim().toLowerCase()));

  const note = (model: string, result: Result) => setResults((current) => new Map(current).set(model, result));
  const testOne = async (model: string) => {
    note(model, { state: 'running' });
    try {
      const { data } = await client.mutate({ mutation: TestChannelDocument, variables: { id: channel.id, model } });
      const result = data?.testChannel;
      if (result?.__typename === 'ChannelTestPassed')
        note(model, { state: 'passed', milliseconds: result.milliseconds });
      else note(model, { state: 'failed', reason: result?.message ?? '' });
    } catch (error) {
      note(model, { state: 'failed', reason: describeFailure(error, t) });
    }
  };
  const testAll = async () => {
    stopped.current = false;
    setRunning(true);
    await runThree(models, testOne, () => stopped.current);
    setRunning(false);
  };

  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth>
      <DialogTitle>{t('channels.testTitle', { name: channel.name })}</DialogTitle>
      <DialogContent>
        <TextFilter search label={t('channels.searchModels')} value={search} onChange={setSearch} width={260} />
        <Box component="ul" sx={{ listStyle: 'none', p: 0, m: '12px 0 0', minHeight: 200 }}>
          {models.map((model) => (
            <Box
              key={model}
              component="li"
              sx={{
                display: 'flex',
                alignItems: 'center',
                gap: 1,
                minHeight: 40,
                borderBottom: '1px solid',
                borderColor: 'divider',
              }}
            >
              <Box sx={{ flex: 1, minWidth: 0, display: 'flex' }}>
                <Ellipsis title={model}>{model}</Ellipsis>
              </Box>
              <TestResult result={results.get(model)} />
              <Button
                aria-label={t('channels.testOf', { name: model })}
                disabled={results.get(model)?.state === 'running'}
                onClick={() => void testOne(model)}
              >
                {t('channels.test')}
              </Button>
            </Box>
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.close')}
        </Button>
        {running ? (
          <Button
            variant="contained"
            onClick={() => {
              stopped.current = true;
            }}
          >
            {t('channels.stop')}
          </Button>
        ) : (
          <Button variant="contained" disabled={models.length === 0} onClick={() => void testAll()}>
            {t('channels.testAll')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function TestResult({ result }: { readonly result: Result | undefined }) {
  const { t } = useTranslation();
  if (!result) return null;
  if (result.state === 'running') return <ToneChip tone="grey">{t('channels.testing')}</ToneChip>;
  if (result.state === 'passed') return <ToneChip tone="green">{responseTime(result.milliseconds)}</ToneChip>;
  return (
    <ToneChip tone="red" hint={result.reason}>
      {t('channels.failed')}
    </ToneChip>
  );
}
