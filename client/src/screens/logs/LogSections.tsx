import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { CopyButton } from '../../components/CopyButton.js';
import { NameValues } from '../../components/SideDrawer.js';
import { Mono } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { duration, integer, ratio } from '../../lib/format.js';
import { durationTone, firstTokenTone, LogType } from './logCells.js';
import type { LogOther } from './logOther.wire.js';
import type { LogRowFragment } from './logs.generated.js';

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Box component="section">
      <Typography variant="h3" sx={{ mb: 1 }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
}

export function RequestSection({
  row,
  other,
  isAdmin,
}: {
  readonly row: LogRowFragment;
  readonly other: LogOther | null;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  const isCall = row.type === LogType.consume;
  const first = row.isStream ? (other?.firstTokenMs ?? null) : null;
  const channel = row.channelId !== null && row.channelId !== undefined && row.channelId > 0 && (
    <>
      <ToneChip tone="outline">{`#${String(row.channelId)}`}</ToneChip> {row.channelName}
    </>
  );
  const ended = other?.clientGone
    ? t('logs.clientGone')
    : other?.streamError
      ? t('logs.streamError', { reason: other.streamError })
      : null;
  return (
    <Section title={t('logs.request')}>
      <NameValues
        rows={[
          [
            t('logs.requestIdName'),
            row.requestId && (
              <Box sx={{ display: 'flex', alignItems: 'center', my: '-4px' }}>
                <Mono>{row.requestId}</Mono>
                <CopyButton value={row.requestId} label={t('logs.copyRequestId')} size={26} />
              </Box>
            ),
          ],
          [t('logs.user'), row.username],
          [t('logs.token'), row.tokenName],
          [t('logs.channel'), channel || null],
          [
            t('logs.retryPath'),
            isAdmin && other && other.usedChannels.length > 1 ? (
              <ToneChip tone="amber">{other.usedChannels.join(' → ')}</ToneChip>
            ) : null,
          ],
          [t('logs.upstreamModel'), other?.upstreamModel ? <Mono>{other.upstreamModel}</Mono> : null],
          [t('logs.path'), other?.requestPath ? <Mono>{other.requestPath}</Mono> : null],
          [t('logs.mode'), isCall ? (row.isStream ? t('logs.stream') : t('logs.wholeAnswer')) : null],
          [
            t('logs.duration'),
            isCall ? <ToneChip tone={durationTone(row.useTime)}>{duration(row.useTime)}</ToneChip> : null,
          ],
          [
            t('logs.firstToken'),
            first === null ? null : <ToneChip tone={firstTokenTone(first / 1000)}>{duration(first / 1000)}</ToneChip>,
          ],
          [t('logs.reasoningEffort'), other?.reasoningEffort],
          [t('logs.reasoningTokens'), other && other.reasoningTokens > 0 ? integer(other.reasoningTokens) : null],
          [t('logs.usage'), other?.countedLocally ? t('logs.countedLocally') : null],
          [t('logs.ended'), ended],
        ]}
      />
    </Section>
  );
}

export function RatioSection({ other, group }: { readonly other: LogOther; readonly group: string }) {
  const { t } = useTranslation();
  const byRatio = other.modelPrice === null;
  const groupText = group ? t('logs.ratioOfGroup', { ratio: ratio(other.groupRatio), group }) : ratio(other.groupRatio);
  return (
    <Section title={t('logs.ratios')}>
      <NameValues
        rows={[
          [t('logs.modelPrice'), byRatio ? null : `$${ratio(other.modelPrice ?? 0)}`],
          [t('logs.model'), byRatio ? ratio(other.modelRatio) : null],
          [t('logs.completion'), byRatio ? ratio(other.completionRatio) : null],
          [t('logs.billCacheRead'), byRatio && other.cacheTokens > 0 ? ratio(other.cacheRatio) : null],
          [t('logs.billCacheWrite'), byRatio && other.cacheCreationTokens > 0 ? ratio(other.cacheCreationRatio) : null],
          [t('logs.audio'), other.audio ? ratio(other.audioRatio) : null],
          [t('logs.audioCompletion'), other.audio ? ratio(other.audioCompletionRatio) : null],
          [t('logs.group'), groupText],
        ]}
      />
    </Section>
  );
}

export function ContentSection({ row, other }: { readonly row: LogRowFragment; readonly other: LogOther | null }) {
  const { t } = useTranslation();
  const texts = other
    ? (
        [
          [t('logs.systemPrompt'), other.systemPrompt],
          [t('logs.context'), other.context],
          [t('logs.inputContent'), other.inputContent],
          [t('logs.outputContent'), other.outputContent],
        ] as const
      ).filter(([, text]) => text !== '')
    : [];
  if (row.content === '' && texts.length === 0) return null;
  return (
    <Section title={t('logs.content')}>
      {row.content !== '' && <Box sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{row.content}</Box>}
      {texts.map(([name, text]) => (
        <Box key={name} sx={{ mt: 1.5 }}>
          <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 0.5 }}>{name}</Box>
          <CodeBlock text={text} copyLabel={t('logs.copyContent', { name })} />
        </Box>
      ))}
    </Section>
  );
}
