import { useApolloClient, useMutation } from '@apollo/client/react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { duration } from '../../lib/format.js';
import { toNewChannel, toValues } from './channelForm.js';
import { balanceText } from './channelStatus.js';
import {
  ChannelToCopyDocument,
  CreateChannelDocument,
  DeleteChannelDocument,
  DisableChannelDocument,
  EnableChannelDocument,
  TestChannelDocument,
  UpdateChannelBalanceDocument,
  UpdateChannelDocument,
  type ChannelRowFragment,
  type UpdateChannelInput,
} from './channels.generated.js';

type ChannelPatch = Omit<UpdateChannelInput, 'id'>;

/** Actions of one row. */
export interface ChannelActions {
  /** Ids whose test is running. */
  readonly testing: ReadonlySet<number>;
  /** Ids whose balance is being fetched. */
  readonly updating: ReadonlySet<number>;
  test(channel: ChannelRowFragment): Promise<void>;
  toggle(channel: ChannelRowFragment): Promise<void>;
  /** Rejects when the server refused, so that the cell shows the old number. */
  patch(channel: ChannelRowFragment, patch: ChannelPatch): Promise<void>;
  updateBalance(channel: ChannelRowFragment): Promise<void>;
  /** Creates a copy of the channel, including its key. */
  copy(channel: ChannelRowFragment): Promise<void>;
  remove(channel: ChannelRowFragment): Promise<void>;
}

const without = (ids: ReadonlySet<number>, gone: number): ReadonlySet<number> =>
  new Set([...ids].filter((id) => id !== gone));

export function useChannelActions(refetch: () => void): ChannelActions {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const client = useApolloClient();
  const [update] = useMutation(UpdateChannelDocument);
  const [enable] = useMutation(EnableChannelDocument);
  const [disable] = useMutation(DisableChannelDocument);
  const [runTest] = useMutation(TestChannelDocument);
  const [runDelete] = useMutation(DeleteChannelDocument);
  const [runBalance] = useMutation(UpdateChannelBalanceDocument);
  const [create] = useMutation(CreateChannelDocument);
  const [testing, setTesting] = useState<ReadonlySet<number>>(new Set());
  const [updating, setUpdating] = useState<ReadonlySet<number>>(new Set());

  const patch = useCallback(
    async (channel: ChannelRowFragment, input: ChannelPatch) => {
      try {
        await update({ variables: { input: { id: channel.id, ...input } } });
      } catch (error) {
        toast.error(describeFailure(error, t));
        throw error;
      }
    },
    [t, update],
  );

  const toggle = useCallback(
    async (channel: ChannelRowFragment) => {
      const variables = { id: channel.id };
      // The switch changes at once; an error reverts it.
      const changed =
        channel.status === 'ENABLED'
          ? disable({
              variables,
              optimisticResponse: { disableChannel: { channel: { ...channel, status: 'DISABLED' } } },
            })
          : enable({
              variables,
              optimisticResponse: { enableChannel: { channel: { ...channel, status: 'ENABLED' } } },
            });
      await changed.catch((error: unknown) => {
        toast.error(describeFailure(error, t));
      });
    },
    [disable, enable, t],
  );

  const test = useCallback(
    async (channel: ChannelRowFragment) => {
      setTesting((current) => new Set(current).add(channel.id));
      try {
        const { data } = await runTest({ variables: { id: channel.id } });
        const result = data?.testChannel;
        if (result?.__typename === 'ChannelTestPassed')
          toast.success(t('channels.testPassed', { name: channel.name, time: duration(result.milliseconds / 1000) }));
        else toast.error(t('channels.testFailed', { name: channel.name, reason: result?.message ?? '' }));
        refetch();
      } catch (error) {
        toast.error(describeFailure(error, t));
      } finally {
        setTesting((current) => without(current, channel.id));
      }
    },
    [refetch, runTest, t],
  );

  const updateBalance = useCallback(
    async (channel: ChannelRowFragment) => {
      setUpdating((current) => new Set(current).add(channel.id));
      try {
        const { data } = await runBalance({ variables: { id: channel.id } });
        const left = data?.updateChannelBalance.channel.balance;
        const balance = left ? balanceText(left) : '–';
        toast.success(t('channels.balanceUpdated', { name: channel.name, balance }));
        refetch();
      } catch (error) {
        toast.error(t('channels.balanceFailed', { name: channel.name, reason: describeFailure(error, t) }));
      } finally {
        setUpdating((current) => without(current, channel.id));
      }
    },
    [refetch, runBalance, t],
  );

  const copy = useCallback(
    async (channel: ChannelRowFragment) => {
      try {
        // The key is sent back to the server and not stored.
        const { data } = await client.query({
          query: ChannelToCopyDocument,
          variables: { id: channel.id },
          fetchPolicy: 'no-cache',
        });
        if (!data?.channel) {
          toast.error(t('channels.copyFailed', { reason: t('channels.gone') }));
          return;
        }
        const name = t('channels.copyName', { name: channel.name });
        const input = { ...toNewChannel({ ...toValues(data.channel), name }), keys: data.channelKeys };
        await create({ variables: { input } });
        toast.success(t('channels.copied', { name }));
        refetch();
      } catch (error) {
        toast.error(t('channels.copyFailed', { reason: describeFailure(error, t) }));
      }
    },
    [client, create, refetch, t],
  );

  const remove = useCallback(
    async (channel: ChannelRowFragment) => {
      const question = {
        title: t('channels.deleteTitle', { name: channel.name }),
        body: t('channels.deleteBody'),
        verb: t('actions.delete'),
        destructive: true,
      };
      if (!(await confirm(question))) return;
      try {
        await runDelete({ variables: { id: channel.id } });
        toast.success(t('channels.deleted', { name: channel.name }));
        refetch();
      } catch (error) {
        toast.error(describeFailure(error, t));
      }
    },
    [confirm, refetch, runDelete, t],
  );

  // Memoized, because every row renders again when the object changes.
  return useMemo(
    () => ({ testing, updating, test, toggle, patch, updateBalance, copy, remove }),
    [testing, updating, test, toggle, patch, updateBalance, copy, remove],
  );
}
