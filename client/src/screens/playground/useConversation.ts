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
import { openOther } from './otherCalls.js';
import { toParameters, type Parameters } from './parameters.js';
import { AnswerBillDocument } from './playground.generated.js';
import type { Turn } from './turns.js';

/** Codes of the site, by the codes of OpenAI's form that are no smaller writing of them. */
const stableCodes: Readonly<Record<string, string>> = {
  insufficient_user_quota: 'INSUFFICIENT_QUOTA',
  pre_consume_token_quota_failed: 'INSUFFICIENT_TOKEN_QUOTA',
  rate_limit_exceeded: 'RATE_LIMITED',
  sensitive_words_detected: 'SENSITIVE_WORDS',
};

/** The user's conversations with one model and with the compared one, and the parameters, from this browser's storage. */
export function useConversation(userId: number) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const navigate = useNavigate();
  const [kept] = useState(() => findKept(userId));
  const [parameters, setParameters] = useState<Parameters>(() =>
    toParameters(kept.parameters, t('playground.systemDefault')),
  );
  const [latest] = useState(() => ({
    parameters,
    describe: (_error: unknown): string => '',
    keep: (): void => undefined,
  }));

  const [[conversation, other]] = useState(() => {
    const begin = (turns: readonly Turn[]): Conversation =>
      new Conversation(turns, {
        open: reconnecting(openChat(userId), () => latest.parameters.autoReconnect),
        openOther: openOther(userId),
        bill: async (requestId, since) => {
          const { data } = await client.query({
            query: AnswerBillDocument,
            variables: { requestId, from: since.toISOString() },
            fetchPolicy: 'no-cache',
          });
          return data?.myLogs?.items[0] ?? null;
        },
        describe: (error) => latest.describe(error),
        keep: () => latest.keep(),
        schedule: (run) => void requestAnimationFrame(run),
      });
    const both = [begin(kept.turns), begin(kept.otherTurns)] as const;
    latest.keep = () =>
      keep(userId, {
        turns: both[0].turns.get(),
        otherTurns: both[1].turns.get(),
        parameters: { ...latest.parameters },
      });
    return both;
  });
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
      if (code === 'recording_gone') return t('playground.recordingGone');
      if (code === 'video_failed' && message === '') return t('playground.videoFailed');
      if (message === '') return status === null ? t('playground.broken') : t('errors.http', { status });
      return describeRefusal({ code: stableCodes[code] ?? code.toUpperCase(), message }, t);
    };
  }, [latest, navigate, t]);
  useEffect(
    () => () => {
      conversation.stop();
      other.stop();
    },
    [conversation, other],
  );

  const turns = useStore(conversation.turns);
  const otherTurns = useStore(other.turns);
  const change = useMemo(
    () => (patch: Partial<Parameters>) => {
      latest.parameters = { ...latest.parameters, ...patch };
      setParameters(latest.parameters);
      latest.keep();
    },
    [latest],
  );
  return { conversation, turns, other, otherTurns, parameters, change };
}
