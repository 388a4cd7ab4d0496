import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { showOutcome } from '../../components/grid/bulkOutcome.js';
import { useAction } from '../../components/useAction.js';
import { useFileExport } from '../../components/useFileExport.js';
import {
  DeleteDisabledRedemptionsDocument,
  DeleteMatchingRedemptionsDocument,
  DeleteRedemptionDocument,
  DisableMatchingRedemptionsDocument,
  DisableRedemptionDocument,
  DisableRedemptionsDocument,
  EnableRedemptionDocument,
  type RedemptionFilter,
  type RedemptionRowFragment,
} from './redemptions.generated.js';

export interface RedemptionRowActions {
  edit(row: RedemptionRowFragment): void;
  toggle(row: RedemptionRowFragment): Promise<unknown>;
  remove(row: RedemptionRowFragment): Promise<unknown>;
  removeDisabled(): Promise<unknown>;
  /** Saves the codes with this name as a file. */
  exportBatch(name: string): void;
  /** @param count how many match, for the question */
  disableMatching(filter: RedemptionFilter, count: number): Promise<boolean>;
  /** @param count how many match, for the question */
  removeMatching(filter: RedemptionFilter, count: number): Promise<boolean>;
  /** @param onDone with the ids of the codes that the server did not disable */
  disable(ids: readonly number[], onDone: (refused: readonly number[]) => void): Promise<boolean>;
}

export function useRedemptionActions({
  refetch,
  onRemoved,
  onManyRemoved,
  edit,
}: {
  readonly refetch: () => void;
  /** With the id of a deleted code. */
  readonly onRemoved: (id: number) => void;
  /** After codes were deleted that only the server knows. */
  readonly onManyRemoved: () => void;
  readonly edit: (row: RedemptionRowFragment) => void;
}): RedemptionRowActions {
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableRedemptionDocument);
  const [disable] = useMutation(DisableRedemptionDocument);
  const [runDelete] = useMutation(DeleteRedemptionDocument);
  const [runDeleteDisabled] = useMutation(DeleteDisabledRedemptionsDocument);
  const [runDisableMatching] = useMutation(DisableMatchingRedemptionsDocument);
  const [runDeleteMatching] = useMutation(DeleteMatchingRedemptionsDocument);
  const { save } = useFileExport('/api/redemption/export', 'codes.csv');
  const [runDisable] = useMutation(DisableRedemptionsDocument);
  return useMemo(() => {
    const deletion = { verb: t('actions.delete'), destructive: true };
    return {
      edit,
      exportBatch: (name) => void save({ name }),
      disableMatching: (filter, count) =>
        act(
          async () => {
            const { data } = await runDisableMatching({ variables: { filter } });
            onManyRemoved();
            refetch();
            return t('redemptions.disabledCount', { count: data?.disableMatchingRedemptions?.count ?? 0 });
          },
          {
            title: t('redemptions.disableTitle', { count }),
            body: t('redemptions.disableMatchingBody'),
            verb: t('redemptions.disable'),
          },
        ),
      removeMatching: (filter, count) =>
        act(
          async () => {
            const { data } = await runDeleteMatching({ variables: { filter } });
            onManyRemoved();
            refetch();
            return t('redemptions.deletedCount', { count: data?.deleteMatchingRedemptions?.count ?? 0 });
          },
          {
            ...deletion,
            title: t('redemptions.deleteManyTitle', { count }),
            body: t('redemptions.deleteManyBody'),
          },
        ),
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
          { ...deletion, title: t('redemptions.deleteTitle', { name: batch }), body: t('redemptions.deleteBody') },
        ),
      removeDisabled: () =>
        act(
          async () => {
            const { data } = await runDeleteDisabled();
            onManyRemoved();
            refetch();
            return t('redemptions.deletedCount', { count: data?.deleteDisabledRedemptions?.count ?? 0 });
          },
          { ...deletion, title: t('redemptions.deleteDisabledTitle'), body: t('redemptions.deleteDisabledBody') },
        ),
      disable: (ids, onDone) =>
        act(
          async () => {
            const { data } = await runDisable({ variables: { ids: [...ids] } });
            refetch();
            onDone(
              showOutcome(data?.disableRedemptions ?? undefined, t, {
                done: (count) => t('redemptions.disabledCount', { count }),
                refused: (counts) => t('redemptions.disableRefused', counts),
              }),
            );
          },
          {
            title: t('redemptions.disableTitle', { count: ids.length }),
            body: t('redemptions.disableBody'),
            verb: t('redemptions.disable'),
          },
        ),
    };
  }, [
    act,
    edit,
    onManyRemoved,
    onRemoved,
    refetch,
    save,
    disable,
    enable,
    runDelete,
    runDeleteDisabled,
    runDeleteMatching,
    runDisable,
    runDisableMatching,
    t,
  ]);
}
