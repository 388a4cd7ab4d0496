import { useMutation } from '@apollo/client/react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { duration } from '../../lib/format.js';
import { balanceText } from './channelStatus.js';
import {
  CopyChannelDocument,
  DeleteChannelDocument,
  DisableChannelDocument,
  EnableChannelDocument,
  TestChannelDocument,
  UpdateChannelBalanceDocument,
  UpdateChannelDocument,
  type ChannelRowFragment,
  type UpdateChannelInput,
} from './channels.generated.js';
import { inWords } from './providerStatus.js';

type ChannelPatch = Omit<UpdateChannelInput, 'id'>;

/** Actions of one row. */
export interface ChannelActions {
  /** Ids whose test is running. */
  readonly testing: ReadonlySet<number>;
  /** Ids whose balance is being fetched. */
  readonly updating: ReadonlySet<number>;
  test(channel: ChannelRowFragment): Promise<unknown>;
  toggle(channel: ChannelRowFragment): Promise<unknown>;
  /** Rejects when the server refused, so that the cell shows the old number. */
  patch(channel: ChannelRowFragment, patch: ChannelPatch): Promise<void>;
  updateBalance(channel: ChannelRowFragment): Promise<unknown>;
  /** Creates a copy of the channel, including its key. */
  copy(channel: ChannelRowFragment): Promise<unknown>;
  remove(channel: ChannelRowFragment): Promise<unknown>;
}

const without = (ids: ReadonlySet<number>, gone: number): ReadonlySet<number> =>
  new Set([...ids].filter((id) => id !== gone));

/** @param onRemoved with the id of a deleted channel */
export function useChannelActions(refetch: () => void, onRemoved: (id: number) => void): ChannelActions {
  const { t } = useTranslation();
  const act = useAction();
  const [update] = useMutation(UpdateChannelDocument);
  const [enable] = useMutation(EnableChannelDocument);
  const [disable] = useMutation(DisableChannelDocument);
  const [runTest] = useMutation(TestChannelDocument);
  const [runDelete] = useMutation(DeleteChannelDocument);
  const [runBalance] = useMutation(UpdateChannelBalanceDocument);
  const [copy] = useMutation(CopyChannelDocument);
  const [testing, setTesting] = useState<ReadonlySet<number>>(new Set());
  const [updating, setUpdating] = useState<ReadonlySet<number>>(new Set());

  const patch = useCallback(
    async (channel: ChannelRowFragment, input: ChannelPatch) => {
      try {
        await update({ variables: { input: { id: channel.id, ...input } } });
      } catch (error) {
        toast.failure(error, t);
        throw error;
      }
    },
    [t, update],
  );

  // Memoized, because every row renders again when the object changes.
  return useMemo(() => {
    const remember = async (set: typeof setTesting, id: number, work: Promise<unknown>) => {
      set((current) => new Set(current).add(id));
      await work;
      set((current) => without(current, id));
    };
    return {
      testing,
      updating,
      patch,
      toggle: (channel) =>
        act(async () => {
          const variables = { id: channel.id };
          // The switch changes at once; an error reverts it.
          await (channel.status === 'ENABLED'
            ? disable({
                variables,
                optimisticResponse: { disableChannel: { channel: { ...channel, status: 'DISABLED' } } },
              })
            : enable({
                variables,
                optimisticResponse: { enableChannel: { channel: { ...channel, status: 'ENABLED' } } },
              }));
        }),
      test: ({ id, name }) => {
        const run = act(async () => {
          const { data } = await runTest({ variables: { id } });
          refetch();
          const result = data?.testChannel;
          if (result?.__typename === 'ChannelTestPassed')
            return t('channels.testPassed', { name, time: duration(result.milliseconds / 1000) });
          toast.error(t('channels.testFailed', { name, reason: result?.message ?? '' }));
          return null;
        });
        return remember(setTesting, id, run);
      },
      updateBalance: ({ id, name }) => {
        const run = act(
          async () => {
            const { data } = await runBalance({ variables: { id } });
            refetch();
            const left = data?.updateChannelBalance.channel.balance;
            return t('channels.balanceUpdated', { name, balance: left ? balanceText(left) : '–' });
          },
          undefined,
          (reason) => t('channels.balanceFailed', { name, reason: inWords(reason, t) }),
        );
        return remember(setUpdating, id, run);
      },
      copy: (channel) =>
        act(
          async () => {
            const name = t('channels.copyName', { name: channel.name });
            await copy({ variables: { id: channel.id, name } });
            refetch();
            return t('channels.copied', { name });
          },
          undefined,
          (reason) => t('channels.copyFailed', { reason }),
        ),
      remove: ({ id, name }) =>
        act(
          async () => {
            await runDelete({ variables: { id } });
            onRemoved(id);
            refetch();
            return t('channels.deleted', { name });
          },
          { title: t('channels.deleteTitle', { name }), body: t('channels.deleteBody') },
        ),
    };
  }, [testing, updating, patch, act, copy, disable, enable, onRemoved, refetch, runBalance, runDelete, runTest, t]);
}
