import { useMutation } from '@apollo/client/react';
import { useTranslation } from 'react-i18next';
import { showOutcome, type BulkOutcome } from '../../components/grid/bulkOutcome.js';
import { useAction } from '../../components/useAction.js';
import {
  DeleteTokensDocument,
  DisableTokensDocument,
  EnableTokensDocument,
} from '../../nouns/tokens/tokenBulk.generated.js';
import type { TokenRowFragment } from './tokens.generated.js';

/** The actions of admins on the API key of another user. The server decides by the role of its owner. */
export function useUserTokenActions(
  { id, name, status }: Pick<TokenRowFragment, 'id' | 'name' | 'status'>,
  reload: () => void,
  onRemoved: () => void,
) {
  const { t } = useTranslation();
  const act = useAction();
  const [enable] = useMutation(EnableTokensDocument);
  const [disable] = useMutation(DisableTokensDocument);
  const [runDelete] = useMutation(DeleteTokensDocument);
  const variables = { ids: [id] };
  const texts = {
    done: (count: number) => t('tokens.bulkDone', { count }),
    refused: (counts: { done: number; count: number; id: number; reason: string }) => t('tokens.bulkRefused', counts),
  };
  const isDone = (outcome: BulkOutcome | undefined) => showOutcome(outcome, t, texts).length === 0;
  return {
    toggle: () =>
      act(async () => {
        isDone(
          status === 'ENABLED'
            ? (await disable({ variables })).data?.disableTokens
            : (await enable({ variables })).data?.enableTokens,
        );
        reload();
      }),
    remove: () =>
      act(
        async () => {
          if (isDone((await runDelete({ variables })).data?.deleteTokens)) onRemoved();
        },
        { title: t('tokens.deleteTitle', { name }), body: t('tokens.deleteBody') },
      ),
  };
}
