import { useApolloClient, useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkProgress } from '../../components/grid/BulkProgress.js';
import { useBulkChange, type BulkChangeProps } from '../../components/grid/useBulkChange.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { describeFailure } from '../../lib/errors.js';
import { useIsShown } from '../../lib/useIsShown.js';
import type { ChannelPanel } from './ChannelPanels.js';
import {
  DeleteChannelsDocument,
  DisableChannelsDocument,
  EnableChannelsDocument,
  TestChannelDocument,
} from './channels.generated.js';
import { runThree } from './runThree.js';

/** The buttons for the selected channels. Edit and tag open a dialog. */
export function BulkActions({
  openPanel,
  ...change
}: BulkChangeProps & { readonly openPanel: (panel: ChannelPanel) => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const act = useAction();
  const [enable] = useMutation(EnableChannelsDocument);
  const [disable] = useMutation(DisableChannelsDocument);
  const [remove] = useMutation(DeleteChannelsDocument);
  const [testing, setTesting] = useState(false);
  const stopped = useRef(false);
  const isShown = useIsShown();
  const { ids, onDone } = change;
  const count = ids.length;
  const selected = useRef(ids);
  useEffect(() => {
    selected.current = ids;
  }, [ids]);
  const { run, isRunning, done } = useBulkChange(change, {
    done: (changed) => t('channels.bulkSaved', { count: changed }),
    refused: (counts) => t('channels.bulkRefused', counts),
  });

  const test = async () => {
    stopped.current = false;
    setTesting(true);
    const failed: { id: number; reason: string }[] = [];
    let tested = 0;
    await runThree(
      ids,
      async (id) => {
        const reason = await client.mutate({ mutation: TestChannelDocument, variables: { id } }).then(
          ({ data }) => {
            const result = data?.testChannel;
            return result?.__typename === 'ChannelTestPassed' ? null : (result?.message ?? '');
          },
          (error: unknown) => describeFailure(error, t),
        );
        tested += 1;
        if (reason !== null) failed.push({ id, reason });
      },
      // If the bar disappears, there is no button that stops the tests, so they end.
      () => stopped.current || !isShown.current,
    );
    setTesting(false);
    const [first] = failed;
    if (first) toast.error(t('channels.bulkTestFailed', { count: tested, failed: failed.length, ...first }));
    else toast.success(t('channels.bulkTested', { count: tested }));
    // The selection may have changed meanwhile, and a cleared selection stays empty.
    if (isShown.current) onDone(selected.current);
  };

  return (
    <>
      {done !== null && <BulkProgress done={done} count={count} />}
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(() =>
            run(async (part) => (await enable({ variables: { ids: part } })).data?.enableChannels, {
              text: (enabled) => t('channels.bulkEnabled', { count: enabled }),
              keepsDone: true,
            }),
          )
        }
      >
        {t('channels.bulkEnable')}
      </Button>
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(
            () =>
              run(async (part) => (await disable({ variables: { ids: part } })).data?.disableChannels, {
                text: (disabled) => t('channels.bulkDisabled', { count: disabled }),
                keepsDone: true,
              }),
            {
              title: t('channels.bulkDisableTitle', { count }),
              body: t('channels.bulkDisableBody'),
              verb: t('channels.bulkDisable'),
            },
          )
        }
      >
        {t('channels.bulkDisable')}
      </Button>
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() => {
          if (testing) stopped.current = true;
          else void test();
        }}
      >
        {testing ? t('channels.stop') : t('channels.test')}
      </Button>
      <Button variant="outlined" disabled={isRunning} onClick={() => openPanel({ kind: 'bulk', ids })}>
        {t('actions.edit')}
      </Button>
      <Button variant="outlined" disabled={isRunning} onClick={() => openPanel({ kind: 'setTag', ids, tag: '' })}>
        {t('channels.setTag')}
      </Button>
      <Button
        variant="outlined"
        color="error"
        disabled={isRunning}
        onClick={() =>
          void act(
            () =>
              run(async (part) => (await remove({ variables: { ids: part } })).data?.deleteChannels, {
                text: (deleted) => t('channels.deletedCount', { count: deleted }),
              }),
            { title: t('channels.deleteManyTitle', { count }), body: t('channels.deleteManyBody') },
          )
        }
      >
        {t('actions.delete')}
      </Button>
    </>
  );
}
