import { useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import {
  DeleteTokenDocument,
  DisableTokenDocument,
  EnableTokenDocument,
  EndTokenOverlapDocument,
  type TokenRowFragment,
  type TokenStatus,
} from './tokens.generated.js';

export interface TokenActions {
  edit(token: TokenRowFragment): void;
  showUsage(token: TokenRowFragment): void;
  toggle(token: TokenRowFragment): Promise<unknown>;
  rotate(token: TokenRowFragment): void;
  endOverlap(token: TokenRowFragment): Promise<unknown>;
  remove(token: TokenRowFragment): Promise<unknown>;
}

export function useTokenActions(options: {
  readonly refetch: () => void;
  /** Called with the id of the deleted key. */
  readonly onRemoved: (id: number) => void;
  readonly edit: (token: TokenRowFragment) => void;
  readonly showUsage: (token: TokenRowFragment) => void;
  readonly rotate: (token: TokenRowFragment) => void;
}): TokenActions {
  const { refetch, onRemoved, edit, showUsage, rotate } = options;
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableTokenDocument);
  const [disable] = useMutation(DisableTokenDocument);
  const [endOverlap] = useMutation(EndTokenOverlapDocument);
  const [runDelete] = useMutation(DeleteTokenDocument);
  return useMemo(
    () => ({
      edit,
      showUsage,
      rotate,
      endOverlap: ({ id, name, previousKeyUntil }) =>
        act(
          async () => {
            await endOverlap({ variables: { id } });
            return t('tokenKeys.ended', { name });
          },
          {
            title: t('tokenKeys.endTitle', { name }),
            body: t('tokenKeys.endBody', { time: dateTime(previousKeyUntil ?? 0, 'minutes') }),
            verb: t('tokenKeys.endVerb'),
            destructive: true,
          },
        ),
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
            onRemoved(id);
            refetch();
            return t('tokens.deleted', { name });
          },
          { title: t('tokens.deleteTitle', { name }), body: t('tokens.deleteBody') },
        ),
    }),
    [act, disable, edit, enable, endOverlap, onRemoved, refetch, rotate, runDelete, showUsage, t],
  );
}
