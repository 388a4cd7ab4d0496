import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { BulkProgress } from '../../components/grid/BulkProgress.js';
import { useBulkChange, type BulkChangeProps } from '../../components/grid/useBulkChange.js';
import { useAction } from '../../components/useAction.js';
import {
  DeleteMatchingRedemptionsDocument,
  DisableMatchingRedemptionsDocument,
  DisableRedemptionsDocument,
  type RedemptionFilter,
} from './redemptions.generated.js';

/** Disable and delete buttons for the selected codes, or for all that match the filters. */
export function RedemptionBulkActions({
  matching,
  count,
  ...change
}: BulkChangeProps & {
  /** The filters, if all codes that match them are selected. */
  readonly matching: RedemptionFilter | null;
  /** Number of selected codes. */
  readonly count: number;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const [disable] = useMutation(DisableRedemptionsDocument);
  const [disableMatching] = useMutation(DisableMatchingRedemptionsDocument);
  const [deleteMatching] = useMutation(DeleteMatchingRedemptionsDocument);
  const { ids, onDone } = change;
  const { run, hold, isRunning, done } = useBulkChange(change, {
    done: (disabled) => t('redemptions.disabledCount', { count: disabled }),
    refused: (counts) => t('redemptions.disableRefused', counts),
  });
  /** Changes codes that only the server knows one by one. */
  const changeAll = (work: () => Promise<string>): Promise<string> =>
    hold(async () => {
      const message = await work();
      onDone([]);
      return message;
    });

  return (
    <>
      {done !== null && <BulkProgress done={done} count={count} />}
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(
            () =>
              matching
                ? changeAll(async () => {
                    const { data } = await disableMatching({ variables: { filter: matching } });
                    return t('redemptions.disabledCount', { count: data?.disableMatchingRedemptions?.count ?? 0 });
                  })
                : run(
                    async (part) => (await disable({ variables: { ids: part } })).data?.disableRedemptions ?? undefined,
                  ),
            {
              title: t('redemptions.disableTitle', { count }),
              body: t(matching ? 'redemptions.disableMatchingBody' : 'redemptions.disableBody'),
              verb: t('redemptions.disable'),
            },
          )
        }
      >
        {t('redemptions.disable')}
      </Button>
      <Button
        variant="outlined"
        color="error"
        disabled={isRunning}
        onClick={() =>
          void act(
            () =>
              changeAll(async () => {
                const { data } = await deleteMatching({ variables: { filter: matching ?? { ids: [...ids] } } });
                return t('redemptions.deletedCount', { count: data?.deleteMatchingRedemptions?.count ?? 0 });
              }),
            { title: t('redemptions.deleteManyTitle', { count }), body: t('redemptions.deleteManyBody') },
          )
        }
      >
        {t('actions.delete')}
      </Button>
    </>
  );
}
