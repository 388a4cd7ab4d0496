import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkGroupDialog } from '../../nouns/groups/BulkGroupDialog.js';
import { BulkProgress } from '../../components/grid/BulkProgress.js';
import { useBulkChange, type BulkChangeProps } from '../../components/grid/useBulkChange.js';
import { useAction } from '../../components/useAction.js';
import { BanUsersDocument, EnableUsersDocument, SetUserGroupDocument } from './users.generated.js';

/** Enable, ban and group buttons for the selected users. */
export function UserBulkActions({ groups, ...change }: BulkChangeProps & { readonly groups: readonly string[] }) {
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableUsersDocument);
  const [ban] = useMutation(BanUsersDocument);
  const [setGroup] = useMutation(SetUserGroupDocument);
  const [choosing, setChoosing] = useState(false);
  const count = change.ids.length;
  const { run, isRunning, done } = useBulkChange(change, {
    done: (done) => t('users.bulkDone', { count: done }),
    refused: (counts) => t('users.bulkRefused', counts),
  });

  return (
    <>
      {done !== null && <BulkProgress done={done} count={count} />}
      <Button
        variant="outlined"
        disabled={isRunning}
        onClick={() =>
          void act(() => run(async (part) => (await enable({ variables: { ids: part } })).data?.enableUsers), {
            title: t('users.bulkEnableTitle', { count }),
            body: t('users.bulkEnableBody'),
            verb: t('users.bulkEnable'),
          })
        }
      >
        {t('users.bulkEnable')}
      </Button>
      <Button
        variant="outlined"
        disabled={isRunning}
        color="error"
        onClick={() =>
          void act(() => run(async (part) => (await ban({ variables: { ids: part } })).data?.banUsers), {
            title: t('users.bulkBanTitle', { count }),
            body: t('users.bulkBanBody'),
            verb: t('users.ban'),
            destructive: true,
          })
        }
      >
        {t('users.ban')}
      </Button>
      <Button variant="outlined" disabled={isRunning} onClick={() => setChoosing(true)}>
        {t('users.bulkGroup')}
      </Button>
      {choosing && (
        <BulkGroupDialog
          title={t('users.bulkGroupTitle', { count })}
          submitLabel={t('users.bulkGroup')}
          choices={groups.map((name) => ({ value: name, label: name }))}
          onSubmit={(group) =>
            void act(() =>
              run(async (part) => (await setGroup({ variables: { ids: part, group } })).data?.setUserGroup),
            )
          }
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
