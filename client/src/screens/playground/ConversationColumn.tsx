import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ArrowDownwardOutlinedIcon from '@mui/icons-material/ArrowDownwardOutlined';
import { useEffect, useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AnswerView } from './AnswerView.js';
import type { Conversation, RequestParams } from './conversation.js';
import { QuestionView } from './QuestionView.js';
import { isRunning, type Turn } from './turns.js';
import { useStickToEnd } from './useStickToEnd.js';

/** The turns of one model, which follow the end while they grow. */
export function ConversationColumn({
  conversation,
  turns,
  model,
  paramsOf,
  isCompared,
  asked,
  children,
}: {
  readonly conversation: Conversation;
  readonly turns: readonly Turn[];
  readonly model: string;
  /** The parameters of the next request. Stable. */
  readonly paramsOf: () => RequestParams;
  /** There is another column, whose response is stopped on its own. */
  readonly isCompared: boolean;
  /** Changes when the user has sent or cleared something. */
  readonly asked: number;
  /** Before the first turn. */
  readonly children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { frame, atEnd, onScroll, toEnd } = useStickToEnd(turns);
  const running = turns.some(isRunning);
  useEffect(() => {
    if (asked > 0) toEnd();
  }, [asked, toEnd]);
  const actions = useMemo(
    () => ({
      retry: (answerId: string) => conversation.retry(answerId, paramsOf()),
      remove: (answerId: string) => conversation.remove(answerId),
      edit: (questionId: string, text: string) => conversation.edit(questionId, text, paramsOf()),
    }),
    [conversation, paramsOf],
  );
  const label = isCompared ? t('playground.conversationWith', { model }) : t('playground.conversation');
  return (
    <Box sx={{ flex: 1, minWidth: 0, minHeight: 0, display: 'flex', flexDirection: 'column', position: 'relative' }}>
      <Box
        ref={frame}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
        sx={{ flex: 1, minHeight: 0, overflowY: 'auto', outlineOffset: '-2px !important' }}
      >
        <Box
          sx={{
            maxWidth: 760 + 48,
            mx: 'auto',
            padding: { xs: '16px', sm: '24px' },
            minHeight: '100%',
            display: 'flex',
            flexDirection: 'column',
            gap: 2.5,
          }}
        >
          {children}
          {turns.map((turn) => {
            if (turn.kind === 'divider') return <ClearedLine key={turn.id} />;
            if (turn.kind === 'question') {
              return <QuestionView key={turn.id} question={turn} idle={!running} onEdit={actions.edit} />;
            }
            return (
              <AnswerView
                key={turn.id}
                answer={turn}
                idle={!running}
                actions={actions}
                onStop={isCompared ? () => conversation.stop() : undefined}
              />
            );
          })}
        </Box>
      </Box>
      {!atEnd && turns.length > 0 && (
        <Button
          variant="outlined"
          startIcon={<ArrowDownwardOutlinedIcon />}
          onClick={toEnd}
          sx={{ position: 'absolute', bottom: 12, left: '50%', transform: 'translateX(-50%)', whiteSpace: 'nowrap' }}
        >
          {t('playground.toLatest')}
        </Button>
      )}
    </Box>
  );
}

function ClearedLine() {
  const { t } = useTranslation();
  const line = { flex: 1, height: '1px', backgroundColor: 'divider' };
  return (
    <Box
      role="separator"
      sx={{ display: 'flex', alignItems: 'center', gap: 1.5, fontSize: 12, color: 'text.secondary' }}
    >
      <Box sx={line} />
      {t('playground.contextCleared')}
      <Box sx={line} />
    </Box>
  );
}
