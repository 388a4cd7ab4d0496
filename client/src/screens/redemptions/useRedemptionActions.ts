import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import {
  DeleteDisabledRedemptionsDocument,
  DeleteRedemptionDocument,
  DisableRedemptionDocument,
  DisableRedemptionsDocument,
  EnableRedemptionDocument,
  type RedemptionRowFragment,
} from './redemptions.generated.js';

export interface RedemptionRowActions {
  edit(row: RedemptionRowFragment): void;
  toggle(row: RedemptionRowFragment): Promise<void>;
  remove(row: RedemptionRowFragment): Promise<void>;
  removeDisabled(): Promise<void>;
  /** Resolves true on success. */
  disable(ids: readonly number[]): Promise<boolean>;
}

export function useRedemptionActions({
  refetch,
  edit,
}: {
  readonly refetch: () => void;
  readonly edit: (row: RedemptionRowFragment) => void;
}): RedemptionRowActions {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const [enable] = useMutation(EnableRedemptionDocument);
  const [disable] = useMutation(DisableRedemptionDocument);
  const [runDelete] = useMutation(DeleteRedemptionDocument);
  const [runDeleteDisabled] = useMutation(DeleteDisabledRedemptionsDocument);
  const [runDisable] = useMutation(DisableRedemptionsDocument);
  return useMemo(() => {
    const attempt = async (work: () => Promise<string | null>): Promise<boolean> => {
      try {
        const said = await work();
        if (said !== null) toast.success(said);
        refetch();
        return true;
      } catch (error) {
        toast.error(describeFailure(error, t));
        return false;
      }
    };
    return {
      edit,
      toggle: async (row) => {
        await attempt(async () => {
          const variables = { id: row.id };
          await (row.status === 'UNUSED' ? disable({ variables }) : enable({ variables }));
          return null;
        });
      },
      remove: async (row) => {
        const question = {
          title: t('redemptions.deleteTitle', { name: row.batch }),
          body: t('redemptions.deleteBody'),
          verb: t('actions.delete'),
          destructive: true,
        };
        if (!(await confirm(question))) return;
        await attempt(async () => {
          await runDelete({ variables: { id: row.id } });
          return t('redemptions.deletedCount', { count: 1 });
        });
      },
      removeDisabled: async () => {
        const question = {
          title: t('redemptions.deleteDisabledTitle'),
          body: t('redemptions.deleteDisabledBody'),
          verb: t('actions.delete'),
          destructive: true,
        };
        if (!(await confirm(question))) return;
        await attempt(async () => {
          const { data } = await runDeleteDisabled();
          return t('redemptions.deletedCount', { count: data?.deleteDisabledRedemptions?.count ?? 0 });
        });
      },
      disable: async (ids) => {
        const question = {
          title: t('redemptions.disableTitle', { count: ids.length }),
          body: t('redemptions.disableBody'),
          verb: t('redemptions.disable'),
        };
        if (!(await confirm(question))) return false;
        return attempt(async () => {
          const { data } = await runDisable({ variables: { ids: [...ids] } });
          return t('redemptions.disabledCount', { count: data?.disableRedemptions?.done.length ?? 0 });
        });
      },
    };
  }, [confirm, edit, refetch, disable, enable, runDelete, runDeleteDisabled, runDisable, t]);
}
