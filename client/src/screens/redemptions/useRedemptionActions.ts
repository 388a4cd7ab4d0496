import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { useFileExport } from '../../components/useFileExport.js';
import {
  DeleteDisabledRedemptionsDocument,
  DeleteRedemptionDocument,
  DisableRedemptionDocument,
  EnableRedemptionDocument,
  type RedemptionRowFragment,
} from './redemptions.generated.js';

export interface RedemptionRowActions {
  edit(row: RedemptionRowFragment): void;
  toggle(row: RedemptionRowFragment): Promise<unknown>;
  remove(row: RedemptionRowFragment): Promise<unknown>;
  removeDisabled(): Promise<unknown>;
  /** Saves the codes with this name as a file. */
  exportBatch(name: string): void;
}

export function useRedemptionActions({
  refetch,
  onRemoved,
  onManyRemoved,
  edit,
}: {
  readonly refetch: () => void;
  /** Called with the id of a deleted code. */
  readonly onRemoved: (id: number) => void;
  /** Called after the server deleted codes whose ids the console does not know. */
  readonly onManyRemoved: () => void;
  readonly edit: (row: RedemptionRowFragment) => void;
}): RedemptionRowActions {
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableRedemptionDocument);
  const [disable] = useMutation(DisableRedemptionDocument);
  const [runDelete] = useMutation(DeleteRedemptionDocument);
  const [runDeleteDisabled] = useMutation(DeleteDisabledRedemptionsDocument);
  const { save } = useFileExport('/api/redemption/export', 'codes.csv');
  return useMemo(
    () => ({
      edit,
      exportBatch: (name) => void save({ name }),
      toggle: ({ id, status }) =>
        act(async () => {
          await (status === 'UNUSED' ? disable : enable)({ variables: { id } });
          refetch();
        }),
      remove: ({ id, batch }) =>
        act(
          async () => {
            await runDelete({ variables: { id } });
            onRemoved(id);
            refetch();
            return t('redemptions.deletedCount', { count: 1 });
          },
          { title: t('redemptions.deleteTitle', { name: batch }), body: t('redemptions.deleteBody') },
        ),
      removeDisabled: () =>
        act(
          async () => {
            const { data } = await runDeleteDisabled();
            onManyRemoved();
            refetch();
            return t('redemptions.deletedCount', { count: data?.deleteDisabledRedemptions?.count ?? 0 });
          },
          { title: t('redemptions.deleteDisabledTitle'), body: t('redemptions.deleteDisabledBody') },
        ),
    }),
    [act, edit, onManyRemoved, onRemoved, refetch, save, disable, enable, runDelete, runDeleteDisabled, t],
  );
}
