import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import {
  BanUserDocument,
  DeactivateUserDocument,
  DemoteUserDocument,
  EnableUserDocument,
  PromoteUserDocument,
  ResetSecondFactorsDocument,
  type UserRowFragment,
} from './users.generated.js';

export interface UserActions {
  edit(user: UserRowFragment): void;
  grant(user: UserRowFragment): void;
  showTokens(user: UserRowFragment): void;
  showSessions(user: UserRowFragment): void;
  toggle(user: UserRowFragment): Promise<unknown>;
  promote(user: UserRowFragment): Promise<unknown>;
  demote(user: UserRowFragment): Promise<unknown>;
  resetFactors(user: UserRowFragment): Promise<unknown>;
  remove(user: UserRowFragment): Promise<unknown>;
}

export function useUserActions(options: {
  readonly refetch: () => void;
  /** Called with the id of the deleted user. */
  readonly onRemoved: (id: number) => void;
  readonly edit: (user: UserRowFragment) => void;
  readonly grant: (user: UserRowFragment) => void;
  readonly showTokens: (user: UserRowFragment) => void;
  readonly showSessions: (user: UserRowFragment) => void;
}): UserActions {
  const { refetch, onRemoved, edit, grant, showTokens, showSessions } = options;
  const { t } = useTranslation();
  const act = useAction();
  const [ban] = useMutation(BanUserDocument);
  const [enable] = useMutation(EnableUserDocument);
  const [promote] = useMutation(PromoteUserDocument);
  const [demote] = useMutation(DemoteUserDocument);
  const [resetFactors] = useMutation(ResetSecondFactorsDocument);
  const [deactivate] = useMutation(DeactivateUserDocument);
  return useMemo(() => {
    const done = () => t('users.done');
    return {
      edit,
      grant,
      showTokens,
      showSessions,
      toggle: (user) => {
        const variables = { id: user.id };
        if (user.status !== 'ENABLED') {
          const optimisticResponse = { enableUser: { user: { ...user, status: 'ENABLED' as const } } };
          return act(() => enable({ variables, optimisticResponse }).then(done));
        }
        const optimisticResponse = { banUser: { user: { ...user, status: 'BANNED' as const } } };
        return act(() => ban({ variables, optimisticResponse }).then(done), {
          title: t('users.banTitle', { name: user.username }),
          body: t('users.banBody'),
          verb: t('users.ban'),
          destructive: true,
        });
      },
      promote: ({ id, username }) =>
        act(() => promote({ variables: { id } }).then(done), {
          title: t('users.promoteTitle', { name: username }),
          body: t('users.promoteBody'),
          verb: t('users.promote'),
        }),
      demote: ({ id, username }) =>
        act(() => demote({ variables: { id } }).then(done), {
          title: t('users.demoteTitle', { name: username }),
          body: t('users.demoteBody'),
          verb: t('users.demote'),
        }),
      resetFactors: ({ id, username }) =>
        act(() => resetFactors({ variables: { userId: id } }).then(done), {
          title: t('factors.resetTitle', { name: username }),
          body: t('factors.resetBody'),
          verb: t('factors.reset'),
          destructive: true,
        }),
      remove: ({ id, username }) =>
        act(
          async () => {
            await deactivate({ variables: { id } });
            onRemoved(id);
            refetch();
            return t('users.deleted', { name: username });
          },
          { title: t('users.deleteTitle', { name: username }), body: t('users.deleteBody') },
        ),
    };
  }, [
    act,
    ban,
    deactivate,
    demote,
    edit,
    enable,
    grant,
    showTokens,
    showSessions,
    promote,
    onRemoved,
    refetch,
    resetFactors,
    t,
  ]);
}
