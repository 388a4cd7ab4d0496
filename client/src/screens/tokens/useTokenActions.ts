import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import {
  DeleteTokenDocument,
  DisableTokenDocument,
  EnableTokenDocument,
  type TokenRowFragment,
  type TokenStatus,
} from './tokens.generated.js';

export interface TokenActions {
  edit(token: TokenRowFragment): void;
  showUsage(token: TokenRowFragment): void;
  toggle(token: TokenRowFragment): Promise<unknown>;
  remove(token: TokenRowFragment): Promise<unknown>;
}

export function useTokenActions(options: {
  readonly refetch: () => void;
  readonly edit: (token: TokenRowFragment) => void;
  readonly showUsage: (token: TokenRowFragment) => void;
}): TokenActions {
  const { refetch, edit, showUsage } = options;
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableTokenDocument);
  const [disable] = useMutation(DisableTokenDocument);
  const [runDelete] = useMutation(DeleteTokenDocument);
  return useMemo(
    () => ({
      edit,
      showUsage,
      toggle: (token) =>
        act(async () => {
          const variables = { id: token.id };
          const becoming = (status: TokenStatus) => ({ token: { ...token, status } });
          await (token.status === 'ENABLED'
            ? disable({ variables, optimisticResponse: { disableToken: becoming('DISABLED') } })
            : enable({ variables, optimisticResponse: { enableToken: becoming('ENABLED') } }));
        }),
      remove: ({ id, name }) =>
        act(
          async () => {
            await runDelete({ variables: { id } });
            refetch();
            return t('tokens.deleted', { name });
          },
          {
            title: t('tokens.deleteTitle', { name }),
            body: t('tokens.deleteBody'),
            verb: t('actions.delete'),
            destructive: true,
          },
        ),
    }),
    [act, disable, edit, enable, refetch, runDelete, showUsage, t],
  );
}
