import { useMutation } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import {
  DeleteChannelsDocument,
  DeleteDisabledChannelsDocument,
  FixChannelsDocument,
  TestAllChannelsDocument,
  UpdateAllChannelBalancesDocument,
} from './channels.generated.js';

/** Actions on many channels: background rounds on the server, repairs, and deletions. */
export function useMaintenance(refetch: () => void) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const [testAll] = useMutation(TestAllChannelsDocument);
  const [updateBalances] = useMutation(UpdateAllChannelBalancesDocument);
  const [fix] = useMutation(FixChannelsDocument);
  const [deleteDisabled] = useMutation(DeleteDisabledChannelsDocument);
  const [deleteMany] = useMutation(DeleteChannelsDocument);

  /** Runs `work` and shows its result or error. @returns whether it succeeded */
  const attempt = async (work: () => Promise<string>): Promise<boolean> => {
    try {
      toast.success(await work());
      refetch();
      return true;
    } catch (error) {
      toast.error(describeFailure(error, t));
      return false;
    }
  };

  return {
    testAll: () =>
      attempt(async () => {
        await testAll();
        return t('channels.testsBegan');
      }),
    updateBalances: () =>
      attempt(async () => {
        await updateBalances();
        return t('channels.balancesBegan');
      }),
    fix: () =>
      attempt(async () => {
        const { data } = await fix();
        return t('channels.fixed', { count: data?.fixChannels.count ?? 0 });
      }),
    deleteDisabled: async () => {
      const question = {
        title: t('channels.deleteDisabledTitle'),
        body: t('channels.deleteDisabledBody'),
        verb: t('actions.delete'),
        destructive: true,
      };
      if (!(await confirm(question))) return false;
      return attempt(async () => {
        const { data } = await deleteDisabled();
        return t('channels.deletedCount', { count: data?.deleteDisabledChannels.count ?? 0 });
      });
    },
    deleteMany: async (ids: readonly number[]) => {
      const question = {
        title: t('channels.deleteManyTitle', { count: ids.length }),
        body: t('channels.deleteManyBody'),
        verb: t('actions.delete'),
        destructive: true,
      };
      if (!(await confirm(question))) return false;
      return attempt(async () => {
        const { data } = await deleteMany({ variables: { ids: [...ids] } });
        return t('channels.deletedCount', { count: data?.deleteChannels.done.length ?? 0 });
      });
    },
  };
}
