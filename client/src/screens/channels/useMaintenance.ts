import { useMutation } from '@apollo/client/react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../../components/ActionMenu.js';
import type { Question } from '../../components/ConfirmDialog.js';
import { useAction } from '../../components/useAction.js';
import {
  ChannelTestRunDocument,
  DeleteDisabledChannelsDocument,
  FixChannelsDocument,
  TestAllChannelsDocument,
  UpdateAllChannelBalancesDocument,
} from './channels.generated.js';

/**
 * Actions on many channels: runs in the background of the server, repairs, and deletions.
 *
 * @param onDeleted called after the server deleted channels whose ids the console does not know
 */
export function useMaintenance(refetch: () => void, onDeleted: () => void) {
  const { t } = useTranslation();
  const act = useAction();
  const [testAll] = useMutation(TestAllChannelsDocument, {
    // The notice of the run then shows the progress.
    refetchQueries: [ChannelTestRunDocument],
    awaitRefetchQueries: true,
  });
  const [updateBalances] = useMutation(UpdateAllChannelBalancesDocument);
  const [fix] = useMutation(FixChannelsDocument);
  const [deleteDisabled] = useMutation(DeleteDisabledChannelsDocument);

  const run = (work: () => Promise<unknown>, question?: Question) =>
    act(async () => {
      const message = await work();
      refetch();
      return message;
    }, question);

  return {
    testAll: () =>
      act(() => testAll(), {
        title: t('channels.testAllTitle'),
        body: t('channels.testAllBody'),
        verb: t('channels.testAll'),
        isLikely: true,
      }),
    updateBalances: () =>
      run(async () => {
        await updateBalances();
        return t('channels.balancesBegan');
      }),
    fix: () =>
      run(async () => {
        const { data } = await fix();
        return t('channels.fixed', { count: data?.fixChannels.count ?? 0 });
      }),
    deleteDisabled: () =>
      run(
        async () => {
          const { data } = await deleteDisabled();
          onDeleted();
          return t('channels.deletedCount', { count: data?.deleteDisabledChannels.count ?? 0 });
        },
        { title: t('channels.deleteDisabledTitle'), body: t('channels.deleteDisabledBody') },
      ),
  };
}

/** The entries of the list's menu that concern all channels. */
export const upkeepActions = (maintenance: ReturnType<typeof useMaintenance>, t: TFunction): readonly RowAction[] => [
  { label: t('channels.testAll'), onSelect: () => void maintenance.testAll() },
  { label: t('channels.updateBalances'), onSelect: () => void maintenance.updateBalances() },
  { label: t('channels.fix'), onSelect: () => void maintenance.fix() },
  { label: t('channels.deleteDisabled'), destructive: true, onSelect: () => void maintenance.deleteDisabled() },
];
