import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkGroupDialog } from '../groups/BulkGroupDialog.js';
import { BulkProgress } from '../../components/grid/BulkProgress.js';
import { useBulkChange, type BulkChangeProps } from '../../components/grid/useBulkChange.js';
import { useAction } from '../../components/useAction.js';
import {
  DeleteTokensDocument,
  DisableTokensDocument,
  EnableTokensDocument,
  SetTokenGroupDocument,
} from './tokenBulk.generated.js';

export interface TokenBulkProps extends BulkChangeProps {
  /** Names of the groups to choose from, in addition to the owner's group. */
  readonly groups: readonly string[];
  /** The choice of no group of its own. */
  readonly ownGroup: string;
}

/** Enable, disable, group and delete buttons for the selected tokens. */
export function TokenBulkActions({ groups, ownGroup, ...change }: TokenBulkProps) {
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableTokensDocument);
  const [disable] = useMutation(DisableTokensDocument);
  const [remove] = useMutation(DeleteTokensDocument);
  const [setGroup] = useMutation(SetTokenGroupDocument);
  const [choosing, setChoosing] = useState(false);
  const count = change.ids.length;
  const { run, isRunning, done } = useBulkChange(change, {
    done: (done) => t('tokens.bulkDone', { count: done }),
    refused: (counts) => t('tokens.bulkRefused', counts),
  });

  return (
    <>
      {done !== null && <BulkProgress done={done} count={count} />}
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(() => run(async (part) => (await enable({ variables: { ids: part } })).data?.enableTokens))
        }
      >
        {t('tokens.bulkEnable')}
      </Button>
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(() => run(async (part) => (await disable({ variables: { ids: part } })).data?.disableTokens), {
            title: t('tokens.bulkDisableTitle', { count }),
            body: t('tokens.bulkDisableBody'),
            verb: t('tokens.bulkDisable'),
          })
        }
      >
        {t('tokens.bulkDisable')}
      </Button>
      <Button variant="outlined" disabled={isRunning} onClick={() => setChoosing(true)}>
        {t('tokens.bulkGroup')}
      </Button>
      <Button
        variant="outlined"
        disabled={isRunning}
        color="error"
        onClick={() =>
          void act(() => run(async (part) => (await remove({ variables: { ids: part } })).data?.deleteTokens), {
            title: t('tokens.bulkDeleteTitle', { count }),
            body: t('tokens.bulkDeleteBody'),
          })
        }
      >
        {t('actions.delete')}
      </Button>
      {choosing && (
        <BulkGroupDialog
          title={t('tokens.bulkGroupTitle', { count })}
          submitLabel={t('tokens.bulkGroup')}
          choices={[{ value: '', label: ownGroup }, ...groups.map((name) => ({ value: name, label: name }))]}
          onSubmit={(group) =>
            void act(() =>
              run(
                async (part) =>
                  (await setGroup({ variables: { ids: part, group: group || null } })).data?.setTokenGroup,
              ),
            )
          }
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
