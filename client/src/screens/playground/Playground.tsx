import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import Typography from '@mui/material/Typography';
import AddCommentOutlinedIcon from '@mui/icons-material/AddCommentOutlined';
import ArrowDownwardOutlinedIcon from '@mui/icons-material/ArrowDownwardOutlined';
import TuneOutlinedIcon from '@mui/icons-material/TuneOutlined';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { Notice } from '../../components/Notice.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { AnswerView } from './AnswerView.js';
import { Composer } from './Composer.js';
import { availableParameters, isMaxTokens, modelsOf, toRequestParams, type PricedName } from './parameters.js';
import { ParameterFields, type GroupChoice } from './ParameterFields.js';
import { QuestionView } from './QuestionView.js';
import { SamplePrompts } from './SamplePrompts.js';
import { isRunning } from './turns.js';
import { useConversation } from './useConversation.js';
import { useStickToEnd } from './useStickToEnd.js';

export interface PlaygroundProps {
  readonly userId: number;
  readonly groups: readonly GroupChoice[];
  readonly ownGroup: string;
  readonly models: readonly PricedName[];
}

export function Playground({ userId, groups, ownGroup, models }: PlaygroundProps) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const confirm = useConfirm();
  const [search] = useSearchParams();
  const { conversation, turns, parameters: chosen, change } = useConversation(userId);
  const [text, setText] = useState('');
  const [sheet, setSheet] = useState(false);
  const parameters = useMemo(
    () => availableParameters(chosen, { groups: groups.map(({ name }) => name), ownGroup, models }),
    [chosen, groups, models, ownGroup],
  );
  const running = turns.some(isRunning);
  const { frame, atEnd, onScroll, toEnd } = useStickToEnd(turns);
  const problem = isMaxTokens(parameters.maxTokens) ? null : t('playground.maxTokensWrong');

  const latest = useRef(parameters);
  useEffect(() => {
    latest.current = parameters;
  }, [parameters]);
  const actions = useMemo(
    () => ({
      retry: (answerId: string) => conversation.retry(answerId, toRequestParams(latest.current)),
      remove: (answerId: string) => conversation.remove(answerId),
      edit: (questionId: string, text: string) => conversation.edit(questionId, text, toRequestParams(latest.current)),
    }),
    [conversation],
  );
  const startOver = async () => {
    const question = {
      title: t('playground.startOverTitle'),
      body: t('playground.startOverBody'),
      verb: t('playground.startOver'),
      destructive: true,
    };
    if (await confirm(question)) conversation.startOver();
  };
  const fields = (
    <>
      <ParameterFields
        parameters={parameters}
        groups={groups}
        models={modelsOf(models, parameters.group)}
        onChange={change}
      />
      <Button
        variant="outlined"
        disabled={turns.length === 0}
        startIcon={<AddCommentOutlinedIcon />}
        onClick={() => void startOver()}
      >
        {t('playground.startOver')}
      </Button>
    </>
  );

  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: { xs: 'column', sm: 'row' },
        height: 'calc(100dvh - 48px)',
        minHeight: 360,
      }}
    >
      {mobile ? (
        <Box
          sx={({ vars }) => ({
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            flexShrink: 0,
            minHeight: 48,
            padding: '0 8px 0 16px',
            borderBottom: `1px solid ${vars.palette.surface.line}`,
            backgroundColor: vars.palette.background.paper,
          })}
        >
          <Typography variant="h1" sx={{ fontSize: 16 }}>
            {t('shell.playground')}
          </Typography>
          <Button
            aria-label={`${parameters.model} ${t('playground.parameters')}`.trim()}
            endIcon={<TuneOutlinedIcon />}
            onClick={() => setSheet(true)}
            sx={{ ml: 'auto', minWidth: 0, color: 'text.secondary', '& > span:first-of-type': { minWidth: 0 } }}
          >
            <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
              {parameters.model}
            </Box>
          </Button>
          <Drawer
            anchor="bottom"
            open={sheet}
            onClose={() => setSheet(false)}
            slotProps={{
              paper: {
                role: 'dialog',
                'aria-label': t('playground.parameters'),
                sx: { maxHeight: '88dvh', borderRadius: '10px 10px 0 0' },
              },
            }}
          >
            <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, padding: 2, overflowY: 'auto' }}>
              <Typography variant="h2">{t('playground.parameters')}</Typography>
              {fields}
              <Button variant="contained" onClick={() => setSheet(false)}>
                {t('actions.done')}
              </Button>
            </Box>
          </Drawer>
        </Box>
      ) : (
        <Box
          component="section"
          aria-label={t('playground.parameters')}
          sx={({ vars }) => ({
            width: { sm: 260, md: 300 },
            flexShrink: 0,
            overflowY: 'auto',
            padding: 2,
            display: 'flex',
            flexDirection: 'column',
            gap: 2,
            backgroundColor: vars.palette.background.paper,
            borderRight: `1px solid ${vars.palette.surface.line}`,
          })}
        >
          <Typography variant="h1">{t('shell.playground')}</Typography>
          {fields}
        </Box>
      )}
      <Box sx={{ flex: 1, minWidth: 0, minHeight: 0, display: 'flex', flexDirection: 'column', position: 'relative' }}>
        <Box
          ref={frame}
          onScroll={onScroll}
          role="log"
          aria-live="off"
          aria-label={t('playground.conversation')}
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
            {search.get('expired') === 'true' && <Notice tone="amber">{t('playground.expired')}</Notice>}
            {turns.length === 0 && <SamplePrompts model={parameters.model} onPick={(prompt) => setText(prompt)} />}
            {turns.map((turn) => {
              if (turn.kind === 'divider') return <ClearedLine key={turn.id} />;
              if (turn.kind === 'question') {
                return <QuestionView key={turn.id} question={turn} idle={!running} onEdit={actions.edit} />;
              }
              return <AnswerView key={turn.id} answer={turn} idle={!running} actions={actions} />;
            })}
          </Box>
        </Box>
        <Box
          sx={{
            flexShrink: 0,
            width: '100%',
            maxWidth: 760 + 48,
            mx: 'auto',
            position: 'relative',
            padding: { xs: '0 8px 8px', sm: '0 24px 16px' },
          }}
        >
          {!atEnd && turns.length > 0 && (
            <Button
              variant="outlined"
              startIcon={<ArrowDownwardOutlinedIcon />}
              onClick={toEnd}
              sx={{ position: 'absolute', top: -44, left: '50%', transform: 'translateX(-50%)' }}
            >
              {t('playground.toLatest')}
            </Button>
          )}
          <Composer
            model={parameters.model}
            running={running}
            problem={problem}
            canClear={!running && turns.length > 0 && turns.at(-1)?.kind !== 'divider'}
            text={text}
            onText={setText}
            onSend={(text, images) => {
              setText('');
              conversation.ask(text, images, toRequestParams(parameters));
              toEnd();
            }}
            onStop={() => conversation.stop()}
            onClear={() => {
              conversation.clearContext();
              toEnd();
            }}
          />
          <Announcer running={running} answered={turns.at(-1)?.kind === 'answer'} />
        </Box>
      </Box>
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

/** Tells screen readers that a response is complete. Announcing each streamed word would be noise. */
function Announcer({ running, answered }: { readonly running: boolean; readonly answered: boolean }) {
  const { t } = useTranslation();
  return (
    <Box
      role="status"
      sx={{
        position: 'absolute',
        width: '1px',
        height: '1px',
        overflow: 'hidden',
        clipPath: 'inset(50%)',
        whiteSpace: 'nowrap',
      }}
    >
      {running ? t('playground.answering') : answered ? t('playground.answered') : ''}
    </Box>
  );
}
