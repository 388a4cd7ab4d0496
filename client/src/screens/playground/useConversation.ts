import { useApolloClient } from '@apollo/client/react';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { describeRefusal } from '../../lib/errors.js';
import { session } from '../../lib/session.js';
import { useStore } from '../../lib/store.js';
import { ChatFailure, openChat, reconnecting } from './chatStream.js';
import { Conversation, isSignedOut } from './conversation.js';
import { findKept, keep } from './keptConversation.js';
import { toParameters, type Parameters } from './parameters.js';
import { AnswerBillDocument } from './playground.generated.js';

/** Codes of the site, by the codes of OpenAI's form that are no smaller writing of them. */
const stableCodes: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'INSUFFICIENT_QUOTA',
  pre_consume_token_quota_failed: 'INSUFFICIENT_TOKEN_QUOTA',
  rate_limit_exceeded: 'RATE_LIMITED',
  sensitive_words_detected: 'SENSITIVE_WORDS',
};

/** The user's conversation and parameters, from this browser's storage. */
export function useConversation(userId: number) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const navigate = useNavigate();
  const [kept] = useState(() => findKept(userId));
  const [parameters, setParameters] = useState<Parameters>(() =>
    toParameters(kept.parameters, t('playground.systemDefault')),
  );
  const [latest] = useState(() => ({ parameters, describe: (_error: unknown): string => '' }));

  const [conversation] = useState(
    () =>
      new Conversation(kept.turns, {
        open: reconnecting(openChat(userId), () => latest.parameters.autoReconnect),
        bill: async (requestId, since) => {
          const { data } = await client.query({
            query: AnswerBillDocument,
            variables: { requestId, from: since.toISOString() },
            fetchPolicy: 'no-cache',
          });
          return data?.myLogs?.items[0] ?? null;
        },
        describe: (error) => latest.describe(error),
        keep: (turns) => keep(userId, { turns, parameters: { ...latest.parameters } }),
        schedule: (run) => void requestAnimationFrame(run),
      }),
  );
  useEffect(() => {
    latest.describe = (error) => {
      if (isSignedOut(error)) {
        session.end();
        // After the route guard, which redirects too, but without the reason.
        setTimeout(() => void navigate('/login?expired=true', { replace: true, state: { from: '/playground' } }));
        return t('playground.expired');
      }
      if (!(error instanceof ChatFailure)) return t('errors.network');
      const { status, code, message } = error;
      if (message === '') return status === null ? t('playground.broken') : t('errors.http', { status });
      return describeRefusal({ code: stableCodes[code] ?? code.toUpperCase(), message }, t);
    };
  }, [latest, navigate, t]);
  useEffect(() => () => conversation.stop(), [conversation]);

  const turns = useStore(conversation.turns);
  const change = useMemo(
    () => (patch: Partial<Parameters>) => {
      latest.parameters = { ...latest.parameters, ...patch };
      setParameters(latest.parameters);
      keep(userId, { turns: conversation.turns.get(), parameters: { ...latest.parameters } });
    },
    [conversation, latest, userId],
  );
  return { conversation, turns, parameters, change };
}
