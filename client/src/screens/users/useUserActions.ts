import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import {
  BanUserDocument,
  DeactivateUserDocument,
  DemoteUserDocument,
  EnableUserDocument,
  PromoteUserDocument,
  type UserRowFragment,
} from './users.generated.js';

export interface UserActions {
  edit(user: UserRowFragment): void;
  grant(user: UserRowFragment): void;
  toggle(user: UserRowFragment): Promise<void>;
  promote(user: UserRowFragment): Promise<void>;
  demote(user: UserRowFragment): Promise<void>;
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
  const [ban] = useMutation(BanUserDocument);
  const [enable] = useMutation(EnableUserDocument);
  const [promote] = useMutation(PromoteUserDocument);
  const [demote] = useMutation(DemoteUserDocument);
  const [deactivate] = useMutation(DeactivateUserDocument);
  return useMemo(() => {
    const fail = (error: unknown) => toast.error(describeFailure(error, t));
    const done = () => toast.success(t('users.done'));
    return {
      edit,
      grant,
      toggle: async (user) => {
        const variables = { id: user.id };
        if (user.status !== 'ENABLED') {
          const optimisticResponse = { enableUser: { user: { ...user, status: 'ENABLED' as const } } };
          await enable({ variables, optimisticResponse }).then(done, fail);
          return;
        }
        const question = {
          title: t('users.banTitle', { name: user.username }),
          body: t('users.banBody'),
          verb: t('users.ban'),
          destructive: true,
        };
        if (!(await confirm(question))) return;
        const optimisticResponse = { banUser: { user: { ...user, status: 'BANNED' as const } } };
        await ban({ variables, optimisticResponse }).then(done, fail);
      },
      promote: async (user) => {
        const question = {
          title: t('users.promoteTitle', { name: user.username }),
          body: t('users.promoteBody'),
          verb: t('users.promote'),
        };
        if (await confirm(question)) await promote({ variables: { id: user.id } }).then(done, fail);
      },
      demote: async (user) => {
        const question = {
          title: t('users.demoteTitle', { name: user.username }),
          body: t('users.demoteBody'),
          verb: t('users.demote'),
        };
        if (await confirm(question)) await demote({ variables: { id: user.id } }).then(done, fail);
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
          await deactivate({ variables: { id: user.id } });
          toast.success(t('users.deleted', { name: user.username }));
          refetch();
        } catch (error) {
          fail(error);
        }
      },
    };
  }, [ban, confirm, deactivate, demote, edit, enable, grant, promote, refetch, t]);
}
