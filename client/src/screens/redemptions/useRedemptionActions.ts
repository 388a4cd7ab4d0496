import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
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
  toggle(row: RedemptionRowFragment): Promise<unknown>;
  remove(row: RedemptionRowFragment): Promise<unknown>;
  removeDisabled(): Promise<unknown>;
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
  const act = useAction();
  const [enable] = useMutation(EnableRedemptionDocument);
  const [disable] = useMutation(DisableRedemptionDocument);
  const [runDelete] = useMutation(DeleteRedemptionDocument);
  const [runDeleteDisabled] = useMutation(DeleteDisabledRedemptionsDocument);
  const [runDisable] = useMutation(DisableRedemptionsDocument);
  return useMemo(() => {
    const deletion = { verb: t('actions.delete'), destructive: true };
    return {
      edit,
      toggle: ({ id, status }) =>
        act(async () => {
          await (status === 'UNUSED' ? disable : enable)({ variables: { id } });
          refetch();
        }),
      remove: ({ id, batch }) =>
        act(
          async () => {
            await runDelete({ variables: { id } });
            refetch();
            return t('redemptions.deletedCount', { count: 1 });
          },
          { ...deletion, title: t('redemptions.deleteTitle', { name: batch }), body: t('redemptions.deleteBody') },
        ),
      removeDisabled: () =>
        act(
          async () => {
            const { data } = await runDeleteDisabled();
            refetch();
            return t('redemptions.deletedCount', { count: data?.deleteDisabledRedemptions?.count ?? 0 });
          },
          { ...deletion, title: t('redemptions.deleteDisabledTitle'), body: t('redemptions.deleteDisabledBody') },
        ),
      disable: (ids) =>
        act(
          async () => {
            const { data } = await runDisable({ variables: { ids: [...ids] } });
            refetch();
            return t('redemptions.disabledCount', { count: data?.disableRedemptions?.done.length ?? 0 });
          },
          {
            title: t('redemptions.disableTitle', { count: ids.length }),
            body: t('redemptions.disableBody'),
            verb: t('redemptions.disable'),
          },
        ),
    };
  }, [act, edit, refetch, disable, enable, runDelete, runDeleteDisabled, runDisable, t]);
}
