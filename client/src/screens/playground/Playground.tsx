import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import AddCommentOutlinedIcon from '@mui/icons-material/AddCommentOutlined';
import CodeOutlinedIcon from '@mui/icons-material/CodeOutlined';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { Notice } from '../../components/Notice.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { chatRequestOf, requestOf, type ApiRequest } from './calls.js';
import { CodeDialog } from './CodeDialog.js';
import { Composer } from './Composer.js';
import { ConversationColumn } from './ConversationColumn.js';
import {
  availableParameters,
  comparable,
  documentsOf,
  isMaxTokens,
  kindOf,
  modelsOf,
  toRequestParams,
  type Parameters,
  type PricedName,
} from './parameters.js';
import { ParameterFields, type GroupChoice } from './ParameterFields.js';
import { ParametersPane } from './ParametersPane.js';
import { SamplePrompts } from './SamplePrompts.js';
import { isRunning, messagesOf, type Turn } from './turns.js';
import { useConversation } from './useConversation.js';

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
  const { conversation, turns, other, otherTurns, parameters: chosen, change } = useConversation(userId);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState(0);
  const [tab, setTab] = useState(0);
  const [showsCode, setShowsCode] = useState(false);
  const parameters = useMemo(
    () => availableParameters(chosen, { groups: groups.map(({ name }) => name), ownGroup, models }),
    [chosen, groups, models, ownGroup],
  );
  const { model, compareModel } = parameters;
  const kind = kindOf(models, model);
  const isCompared = compareModel !== '';
  const conversations = isCompared ? [conversation, other] : [conversation];
  const shownTurns = isCompared ? [...turns, ...otherTurns] : turns;
  const running = shownTurns.some(isRunning);

  const latest = useRef(parameters);
  useEffect(() => {
    latest.current = parameters;
  }, [parameters]);
  const paramsOf = useCallback(() => toRequestParams(latest.current, kindOf(models, latest.current.model)), [models]);
  const otherParamsOf = useCallback(() => {
    const compared = { ...latest.current, model: latest.current.compareModel };
    return toRequestParams(compared, kindOf(models, compared.model));
  }, [models]);

  const onChange = (patch: Partial<Parameters>) => {
    // Both models get the same context.
    if (!isCompared && patch.compareModel) other.copy(turns);
    if (isCompared && patch.compareModel === '') other.startOver();
    change(patch);
  };
  const send = (sent: string, images: readonly string[], file?: File) => {
    setText('');
    const recording = file && { name: file.name, file };
    conversation.ask(sent, images, paramsOf(), recording);
    if (isCompared) other.ask(sent, images, otherParamsOf(), recording);
    setAsked(asked + 1);
  };
  const startOver = async () => {
    const question = {
      title: t('playground.startOverTitle'),
      body: t('playground.startOverBody'),
      verb: t('playground.startOver'),
      destructive: true,
    };
    if (await confirm(question)) for (const each of conversations) each.startOver();
  };
  const problem =
    kind === 'MUSIC' || kind === 'REALTIME'
      ? t('playground.notHere', { model })
      : kind === 'RERANK' && documentsOf(parameters.others).length === 0
        ? t('playground.needsDocuments')
        : isMaxTokens(parameters.maxTokens)
          ? null
          : t('playground.maxTokensWrong');

  const columns = [
    { model, conversation, turns, paramsOf },
    ...(isCompared ? [{ model: compareModel, conversation: other, turns: otherTurns, paramsOf: otherParamsOf }] : []),
  ];
  const shownColumns = mobile && isCompared ? columns.slice(tab, tab + 1) : columns;
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: { xs: 'column', sm: 'row' },
        height: 'calc(100dvh - 48px)',
        minHeight: 360,
      }}
    >
      <ParametersPane model={model}>
        <ParameterFields
          parameters={parameters}
          groups={groups}
          models={modelsOf(models, parameters.group)}
          kind={kind}
          comparable={comparable(models, parameters.group, model)}
          onChange={onChange}
        />
        <Button
          variant="outlined"
          disabled={model === '' || kind === 'MUSIC' || kind === 'REALTIME'}
          startIcon={<CodeOutlinedIcon />}
          onClick={() => setShowsCode(true)}
        >
          {t('playground.viewCode')}
        </Button>
        <Button
          variant="outlined"
          disabled={shownTurns.length === 0}
          startIcon={<AddCommentOutlinedIcon />}
          onClick={() => void startOver()}
        >
          {t('playground.startOver')}
        </Button>
      </ParametersPane>
      {showsCode && (
        <CodeDialog request={codeRequest(parameters, models, turns, text)} onClose={() => setShowsCode(false)} />
      )}
      <Box sx={{ flex: 1, minWidth: 0, minHeight: 0, display: 'flex', flexDirection: 'column' }}>
        {isCompared && mobile && (
          <Tabs value={tab} variant="fullWidth" onChange={(_, next: number) => setTab(next)} sx={{ flexShrink: 0 }}>
            {columns.map((column, index) => (
              <Tab
                key={index}
                value={index}
                label={column.model}
                sx={{ textTransform: 'none', overflowWrap: 'anywhere' }}
              />
            ))}
          </Tabs>
        )}
        <Box sx={{ flex: 1, minHeight: 0, display: 'flex' }}>
          {shownColumns.map((column, index) => (
            <Box
              key={column.conversation === other ? 'other' : 'first'}
              sx={{
                flex: 1,
                minWidth: 0,
                display: 'flex',
                flexDirection: 'column',
                ...(index > 0 && { borderLeft: '1px solid', borderColor: 'divider' }),
              }}
            >
              {isCompared && !mobile && (
                <Box
                  component="h2"
                  sx={{
                    m: 0,
                    padding: '10px 24px',
                    fontSize: 13,
                    fontWeight: 600,
                    borderBottom: '1px solid',
                    borderColor: 'divider',
                    overflowWrap: 'anywhere',
                  }}
                >
                  {column.model}
                </Box>
              )}
              <ConversationColumn {...column} isCompared={isCompared} asked={asked}>
                {search.get('expired') === 'true' && <Notice tone="amber">{t('playground.expired')}</Notice>}
                {column.turns.length === 0 && (
                  <SamplePrompts model={column.model} kind={kind} onPick={(prompt) => setText(prompt)} />
                )}
              </ConversationColumn>
            </Box>
          ))}
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
          <Composer
            model={model}
            kind={kind}
            running={running}
            problem={problem}
            canClear={!running && turns.length > 0 && turns.at(-1)?.kind !== 'divider'}
            text={text}
            onText={setText}
            onSend={send}
            onStop={() => {
              for (const each of conversations) each.stop();
            }}
            onClear={() => {
              for (const each of conversations) each.clearContext();
              setAsked(asked + 1);
            }}
          />
          <Announcer running={running} answered={turns.at(-1)?.kind === 'answer'} />
        </Box>
      </Box>
    </Box>
  );
}

/** The next request: the conversation and the typed text. */
function codeRequest(
  parameters: Parameters,
  models: readonly PricedName[],
  turns: readonly Turn[],
  text: string,
): ApiRequest {
  const params = toRequestParams(parameters, kindOf(models, parameters.model));
  const typed = text.trim() === '' ? 'Hello' : text.trim();
  if ('kind' in params) return requestOf({ ...params, text: params.kind === 'TRANSCRIPTION' ? text.trim() : typed });
  const { systemPrompt, ...rest } = params;
  // Images are too long for an example.
  const said = turns.map((turn) =>
    turn.kind === 'question' ? { ...turn, images: turn.images.map(() => 'https://example.com/image.jpg') } : turn,
  );
  const question = { kind: 'question', id: '', text: typed, images: [] } as const;
  return chatRequestOf({ ...rest, stream: true, messages: messagesOf([...said, question], systemPrompt) });
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
