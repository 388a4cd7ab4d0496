import { useApolloClient, useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showOutcome, type BulkOutcome } from '../../components/grid/bulkOutcome.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { describeFailure } from '../../lib/errors.js';
import { useIsShown } from '../../lib/useIsShown.js';
import { DisableChannelsDocument, EnableChannelsDocument, TestChannelDocument } from './channels.generated.js';
import { runThree } from './runThree.js';

/** Enable, disable and test buttons for the selected channels. */
export function BulkActions({
  ids,
  onDone,
}: {
  readonly ids: readonly number[];
  /** With the ids of the channels to keep selected: those that were not changed, or all. */
  readonly onDone: (kept: readonly number[]) => void;
}) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const act = useAction();
  const [enable] = useMutation(EnableChannelsDocument);
  const [disable] = useMutation(DisableChannelsDocument);
  const [testing, setTesting] = useState(false);
  const stopped = useRef(false);
  const isShown = useIsShown();
  const selected = useRef(ids);
  useEffect(() => {
    selected.current = ids;
  }, [ids]);
  const variables = { ids: [...ids] };

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
  const finish = (outcome: BulkOutcome | undefined, done: (count: number) => string) => {
    const refused = showOutcome(outcome, t, { done, refused: (counts) => t('channels.bulkRefused', counts) });
    onDone(outcome?.failed.length ? refused : ids);
  };

  return (
    <>
      <Button
        variant="outlined"
        onClick={() =>
          void act(async () => {
            const { data } = await enable({ variables });
            finish(data?.enableChannels, (count) => t('channels.bulkEnabled', { count }));
          })
        }
      >
        {t('channels.bulkEnable')}
      </Button>
      <Button
        variant="outlined"
        onClick={() =>
          void act(
            async () => {
              const { data } = await disable({ variables });
              finish(data?.disableChannels, (count) => t('channels.bulkDisabled', { count }));
            },
            {
              title: t('channels.bulkDisableTitle', { count: ids.length }),
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
        onClick={() => {
          if (testing) stopped.current = true;
          else void test();
        }}
      >
        {testing ? t('channels.stop') : t('channels.test')}
      </Button>
    </>
  );
}
