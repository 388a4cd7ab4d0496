import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Collapse from '@mui/material/Collapse';
import IconButton from '@mui/material/IconButton';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import RefreshOutlinedIcon from '@mui/icons-material/RefreshOutlined';
import StopIcon from '@mui/icons-material/Stop';
import Button from '@mui/material/Button';
import { memo, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { Notice } from '../../components/Notice.js';
import { duration, integer, percent } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { AnswerText, cursor } from './AnswerText.js';
import { OutputView } from './OutputView.js';
import type { Answer } from './turns.js';

export interface AnswerActions {
  retry(answerId: string): void;
  remove(answerId: string): void;
}

/** One response: collapsed reasoning, text, error, and below them its actions and its cost. */
export const AnswerView = memo(function AnswerView({
  answer,
  idle,
  actions,
  onStop,
}: {
  readonly answer: Answer;
  /** Whether no response is streaming. */
  readonly idle: boolean;
  readonly actions: AnswerActions;
  /** Stops this response alone. Absent where the composer does. */
  readonly onStop?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const running = answer.state === 'loading' || answer.state === 'incomplete';
  const retry = () => actions.retry(answer.id);
  return (
    <Box
      component="article"
      aria-label={t('playground.answerOf', { model: answer.model })}
      aria-busy={running}
      sx={{ display: 'flex', flexDirection: 'column', gap: 1, minWidth: 0, fontSize: 14, lineHeight: '21px' }}
    >
      {answer.reasoning && <Thoughts text={answer.reasoning} running={running && answer.text === ''} />}
      {answer.text && <AnswerText text={answer.text} growing={running} />}
      {answer.outputs?.map((output, index) => (
        <OutputView key={index} output={output} />
      ))}
      {answer.isMediaLost && <Box sx={{ color: 'text.secondary' }}>{t('playground.mediaLost')}</Box>}
      {running && answer.progress !== undefined && (
        <Box sx={{ color: 'text.secondary' }}>
          {t('playground.progress', { percent: percent(answer.progress / 100) })}
        </Box>
      )}
      {running && answer.text === '' && <Box role="img" aria-label={t('playground.answering')} sx={cursor} />}
      {answer.state === 'error' && (
        <Notice
          tone="red"
          action={
            <Button onClick={retry} disabled={!idle} startIcon={<RefreshOutlinedIcon />} sx={{ color: 'inherit' }}>
              {t('actions.retry')}
            </Button>
          }
        >
          <Box sx={{ overflowWrap: 'anywhere' }}>{answer.error}</Box>
        </Notice>
      )}
      {running && onStop && (
        <Button variant="outlined" startIcon={<StopIcon />} onClick={onStop} sx={{ alignSelf: 'flex-start' }}>
          {t('playground.stop')}
        </Button>
      )}
      {!running && (
        <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '2px', ml: '-6px', minHeight: 32 }}>
          {answer.text && <CopyButton value={answer.text} shown="" label={t('playground.copyAnswer')} />}
          {answer.state !== 'error' && (
            <IconButton
              aria-label={t('playground.retry')}
              disabled={!idle}
              onClick={retry}
              sx={{ width: 28, height: 28, '& svg': { fontSize: 16 } }}
            >
              <RefreshOutlinedIcon />
            </IconButton>
          )}
          <IconButton
            aria-label={t('playground.deletePair')}
            disabled={!idle}
            onClick={() => actions.remove(answer.id)}
            sx={{ width: 28, height: 28, '& svg': { fontSize: 16 } }}
          >
            <DeleteOutlinedIcon />
          </IconButton>
          <Facts answer={answer} />
        </Box>
      )}
    </Box>
  );
});

/** `1.9 s · 412 → 188 tokens · $0.000140` */
function Facts({ answer }: { readonly answer: Answer }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { seconds, firstSeconds, bill, cut } = answer;
  // Images and videos have no tokens at most providers.
  const hasTokens = bill && bill.promptTokens + bill.completionTokens > 0;
  const facts = [
    cut === 'stopped' && t('playground.stopped'),
    cut === 'length' && t('playground.cutByLength'),
    typeof firstSeconds === 'number' && t('playground.firstAfter', { time: duration(firstSeconds) }),
    seconds !== null && duration(seconds),
    hasTokens &&
      t('playground.tokens', { prompt: integer(bill.promptTokens), completion: integer(bill.completionTokens) }),
    bill && money(bill.quota, 'charge'),
  ].filter((fact) => typeof fact === 'string');
  return (
    <Box className="num" sx={{ ml: 1, fontSize: 12.5, lineHeight: '18px', color: 'text.secondary' }}>
      {facts.join(' · ')}
    </Box>
  );
}

function Thoughts({ text, running }: { readonly text: string; readonly running: boolean }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <Box>
      <ButtonBase
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        sx={{
          gap: 0.5,
          minHeight: 28,
          ml: '-4px',
          padding: '0 8px 0 4px',
          borderRadius: '6px',
          fontFamily: 'inherit',
          fontSize: 12.5,
          fontWeight: 500,
          color: 'text.secondary',
          '&:hover': { backgroundColor: 'action.hover' },
        }}
      >
        <ExpandMoreOutlinedIcon sx={{ fontSize: 16, transform: open ? 'none' : 'rotate(-90deg)' }} />
        {running ? t('playground.thinking') : t('playground.thoughts')}
      </ButtonBase>
      <Collapse in={open} id={id} unmountOnExit>
        <Box
          sx={({ vars }) => ({
            mt: '4px',
            paddingLeft: '12px',
            borderLeft: `2px solid ${vars.palette.surface.line}`,
            color: vars.palette.text.secondary,
            fontSize: 13,
            lineHeight: '20px',
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
          })}
        >
          {text}
        </Box>
      </Collapse>
    </Box>
  );
}
