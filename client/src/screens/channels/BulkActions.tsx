import { useApolloClient, useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { DisableChannelsDocument, EnableChannelsDocument, TestChannelDocument } from './channels.generated.js';
import { runThree } from './runThree.js';

/** Enable, disable and test buttons for the selected channels. */
export function BulkActions({ ids, onDone }: { readonly ids: readonly number[]; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const act = useAction();
  const [enable] = useMutation(EnableChannelsDocument);
  const [disable] = useMutation(DisableChannelsDocument);
  const [testing, setTesting] = useState(false);
  const stopped = useRef(false);
  const variables = { ids: [...ids] };

  const test = async () => {
    stopped.current = false;
    setTesting(true);
    const failed: number[] = [];
    let tested = 0;
    await runThree(
      ids,
      async (id) => {
        const passed = await client.mutate({ mutation: TestChannelDocument, variables: { id } }).then(
          ({ data }) => data?.testChannel.__typename === 'ChannelTestPassed',
          () => false,
        );
        tested += 1;
        if (!passed) failed.push(id);
      },
      () => stopped.current,
    );
    setTesting(false);
    const text = t('channels.bulkTested', { count: tested, failed: failed.length });
    if (failed.length > 0) toast.error(text);
    else toast.success(text);
    onDone();
  };

  return (
    <>
      <Button
        variant="outlined"
        onClick={() =>
          void act(async () => {
            const { data } = await enable({ variables });
            onDone();
            return t('channels.bulkEnabled', { count: data?.enableChannels.done.length ?? 0 });
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
              onDone();
              return t('channels.bulkDisabled', { count: data?.disableChannels.done.length ?? 0 });
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
