import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
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
  toggle(token: TokenRowFragment): Promise<void>;
  remove(token: TokenRowFragment): Promise<void>;
}

export function useTokenActions(options: {
  readonly refetch: () => void;
  readonly edit: (token: TokenRowFragment) => void;
  readonly showUsage: (token: TokenRowFragment) => void;
}): TokenActions {
  const { refetch, edit, showUsage } = options;
  const { t } = useTranslation();
  const confirm = useConfirm();
  const [enable] = useMutation(EnableTokenDocument);
  const [disable] = useMutation(DisableTokenDocument);
  const [runDelete] = useMutation(DeleteTokenDocument);
  return useMemo(() => {
    const fail = (error: unknown) => toast.error(describeFailure(error, t));
    return {
      edit,
      showUsage,
      toggle: async (token) => {
        const variables = { id: token.id };
        const becoming = (status: TokenStatus) => ({ token: { ...token, status } });
        await (
          token.status === 'ENABLED'
            ? disable({ variables, optimisticResponse: { disableToken: becoming('DISABLED') } })
            : enable({ variables, optimisticResponse: { enableToken: becoming('ENABLED') } })
        ).catch(fail);
      },
      remove: async (token) => {
        const question = {
          title: t('tokens.deleteTitle', { name: token.name }),
          body: t('tokens.deleteBody'),
          verb: t('actions.delete'),
          destructive: true,
        };
        if (!(await confirm(question))) return;
        try {
          await runDelete({ variables: { id: token.id } });
          toast.success(t('tokens.deleted', { name: token.name }));
          refetch();
        } catch (error) {
          fail(error);
        }
      },
    };
  }, [confirm, disable, edit, enable, refetch, runDelete, showUsage, t]);
}
