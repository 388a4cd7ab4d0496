import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { adminRole } from '../../lib/session.js';
import {
  DeleteUserDocument,
  SetUserRoleDocument,
  SetUserStatusDocument,
  type UserRowFragment,
} from './users.generated.js';
import { UserStatus } from './userCells.js';

export interface UserActions {
  edit(user: UserRowFragment): void;
  grant(user: UserRowFragment): void;
  toggle(user: UserRowFragment): Promise<void>;
  setRole(user: UserRowFragment, role: number): Promise<void>;
  remove(user: UserRowFragment): Promise<void>;
}

export function useUserActions(options: {
  readonly refetch: () => void;
  readonly edit: (user: UserRowFragment) => void;
  readonly grant: (user: UserRowFragment) => void;
}): UserActions {
  const { refetch, edit, grant } = options;
  const { t } = useTranslation();
  const confirm = useConfirm();
  const [setStatus] = useMutation(SetUserStatusDocument);
  const [changeRole] = useMutation(SetUserRoleDocument);
  const [runDelete] = useMutation(DeleteUserDocument);
  return useMemo(() => {
    const fail = (error: unknown) => {
      toast.error(describeFailure(error, t));
    };
    const done = () => {
      toast.success(t('users.done'));
    };
    return {
      edit,
      grant,
      toggle: async (user) => {
        const status = user.status === UserStatus.active ? UserStatus.banned : UserStatus.active;
        const question = {
          title: t('users.banTitle', { name: user.username }),
          body: t('users.banBody'),
          verb: t('users.ban'),
          destructive: true,
        };
        if (status === UserStatus.banned && !(await confirm(question))) return;
        await setStatus({
          variables: { id: user.id, status },
          optimisticResponse: { setUserStatus: { ...user, status } },
        }).then(done, fail);
      },
      setRole: async (user, role) => {
        const up = role === adminRole;
        const question = {
          title: up
            ? t('users.promoteTitle', { name: user.username })
            : t('users.demoteTitle', { name: user.username }),
          body: up ? t('users.promoteBody') : t('users.demoteBody'),
          verb: up ? t('users.promote') : t('users.demote'),
        };
        if (await confirm(question)) await changeRole({ variables: { id: user.id, role } }).then(done, fail);
      },
      remove: async (user) => {
        const question = {
          title: t('users.deleteTitle', { name: user.username }),
          body: t('users.deleteBody'),
          verb: t('actions.delete'),
          destructive: true,
        };
        if (!(await confirm(question))) return;
        try {
          await runDelete({ variables: { id: user.id } });
          toast.success(t('users.deleted', { name: user.username }));
          refetch();
        } catch (error) {
          fail(error);
        }
      },
    };
  }, [changeRole, confirm, edit, grant, refetch, runDelete, setStatus, t]);
}
