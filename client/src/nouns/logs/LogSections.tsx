import Box from '@mui/material/Box';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CodeBlock } from '../../components/CodeBlock.js';
import { CopyButton } from '../../components/CopyButton.js';
import { MayLink } from '../../components/MayLink.js';
import { NameValues } from '../../components/SideDrawer.js';
import { Mono } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { callPrice, dollars, duration, exactDollars, integer, listText, ratio } from '../../lib/format.js';
import { useActing } from '../../lib/acting.js';
import { channelAddress, requestAddress } from '../objects/addresses.js';
import { quantityLabel, conditionLabel } from '../prices/quantityTexts.js';
import { durationTone, firstTokenTone } from './logCells.js';
import { contentOf } from './logContent.js';
import type { LogRow } from './logRow.js';

/** A titled part of the details. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Box component="section">
      <Typography variant="h3" sx={{ mb: 1 }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
}

const guardrailActions = ['block', 'mask', 'log', 'failed_open', 'failed_closed'] as const;
const guardrailAction = (action: string) => guardrailActions.find((one) => one === action) ?? 'log';

export function RequestSection({ row, isAdmin }: { readonly row: LogRow; readonly isAdmin: boolean }) {
  const { t } = useTranslation();
  const acting = useActing();
  const isCall = row.type === 'CONSUME';
  const first = row.isStream ? (row.timeToFirstTokenMs ?? null) : null;
  const { attemptIds = [], guardrails = [] } = row;
  const channel = row.channelId !== null && row.channelId !== undefined && row.channelId > 0 && (
    <>
      <ToneChip tone="outline">{`#${row.channelId}`}</ToneChip>{' '}
      <MayLink permission="CHANNELS_READ" to={channelAddress(row.channelId)}>
        {row.channelName}
      </MayLink>
    </>
  );
  const ended = row.hasClientDisconnected
    ? t('logs.clientGone')
    : row.streamError
      ? t('logs.streamError', { reason: row.streamError })
      : null;
  return (
    <Section title={t('logs.request')}>
      <NameValues
        rows={[
          [
            t('logs.requestIdName'),
            row.requestId && (
              <Box sx={{ display: 'flex', alignItems: 'center', my: '-4px' }}>
                {acting ? (
                  <Mono>{row.requestId}</Mono>
                ) : (
                  <MuiLink component={Link} to={requestAddress(row.requestId)} color="inherit">
                    <Mono>{row.requestId}</Mono>
                  </MuiLink>
                )}
                <CopyButton value={row.requestId} label={t('logs.copyRequestId')} size={26} />
              </Box>
            ),
          ],
          [t('logs.errorStatus'), row.error?.status ?? null],
          [t('logs.errorCode'), row.error?.code ? <Mono>{row.error.code}</Mono> : null],
          [t('logs.user'), row.username],
          [t('logs.token'), row.tokenName],
          [t('fields.channel'), channel || null],
          [
            t('logs.retryPath'),
            isAdmin && attemptIds.length > 1 ? <ToneChip tone="amber">{attemptIds.join(' → ')}</ToneChip> : null,
          ],
          [
            t('logs.askedModel'),
            row.askedModel ? t('logs.servedInstead', { asked: row.askedModel, served: row.modelName }) : null,
          ],
          [
            t('logs.askedGroup'),
            row.askedGroup ? t('logs.servedInstead', { asked: row.askedGroup, served: row.group }) : null,
          ],
          [t('logs.upstreamModel'), row.upstreamModel ? <Mono>{row.upstreamModel}</Mono> : null],
          [t('logs.path'), row.path ? <Mono>{row.path}</Mono> : null],
          [t('logs.ip'), row.ip ? <Mono>{row.ip}</Mono> : null],
          [t('logs.mode'), isCall ? (row.isStream ? t('logs.stream') : t('logs.wholeAnswer')) : null],
          [
            t('logs.duration'),
            isCall || row.error || row.type === 'TEST' ? (
              <ToneChip tone={durationTone(row.durationMs / 1000)}>{duration(row.durationMs / 1000)}</ToneChip>
            ) : null,
          ],
          [
            t('logs.firstToken'),
            first === null ? null : <ToneChip tone={firstTokenTone(first / 1000)}>{duration(first / 1000)}</ToneChip>,
          ],
          [t('logs.plan'), row.plan ?? (row.planOverflow ? t('logs.planOverflow', { name: row.planOverflow }) : null)],
          [t('logs.session'), row.affinity ? t(`logs.affinity.${row.affinity}`) : null],
          [
            t('logs.guardrails'),
            isAdmin && guardrails.length > 0
              ? guardrails.map(({ rule, stage, action, matched }) => (
                  <Box key={`${rule} ${stage} ${action}`}>
                    <ToneChip tone={action === 'block' || action === 'failed_closed' ? 'red' : 'amber'}>
                      {t(`logs.guardrailActions.${guardrailAction(action)}`)}
                    </ToneChip>{' '}
                    {rule} · {stage === 'output' ? t('logs.guardrailStages.output') : t('logs.guardrailStages.input')}
                    {matched.length > 0 && `: ${listText(matched)}`}
                  </Box>
                ))
              : null,
          ],
          [t('logs.reasoningEffort'), row.reasoningEffort],
          [t('logs.reasoningTokens'), row.reasoningTokens > 0 ? integer(row.reasoningTokens) : null],
          [t('logs.usage'), row.isUsageEstimated ? t('logs.countedLocally') : null],
          [t('logs.ended'), ended],
        ]}
      />
    </Section>
  );
}

export function RatioSection({ row, price }: { readonly row: LogRow; readonly price: NonNullable<LogRow['price']> }) {
  const { t } = useTranslation();
  // A price card has prices instead of ratios: they are lines of the bill.
  const factor = (value: number | null | undefined) =>
    value === null || value === undefined || price.lines ? null : ratio(value);
  const groupText = row.group
    ? t('logs.ratioOfGroup', { ratio: ratio(price.groupRatio), group: row.group })
    : ratio(price.groupRatio);
  return (
    <Section title={t('logs.ratios')}>
      <NameValues
        rows={[
          [t('logs.priceCard'), price.card ?? null],
          [t('logs.priceAsOf'), price.cardAsOf ?? null],
          [t('logs.priceWhen'), row.priceWhen ? conditionLabel(t, row.priceWhen) : null],
          [t('logs.modelPrice'), typeof price.modelPrice === 'number' ? exactDollars(price.modelPrice) : null],
          [t('fields.model'), factor(price.modelRatio)],
          [t('logs.completion'), factor(price.completionRatio)],
          [t('quantities.cachedInput'), row.cachedTokens > 0 ? factor(price.cacheRatio) : null],
          [t('quantities.cacheWrite'), row.cacheWriteTokens > 0 ? factor(price.cacheWriteRatio) : null],
          [t('logs.audio'), factor(price.audioRatio)],
          [t('logs.audioCompletion'), factor(price.audioCompletionRatio)],
          [t('fields.group'), groupText],
        ]}
      />
    </Section>
  );
}

const bases = {
  REPORTED: 'logs.costReported',
  CARD: 'logs.costCard',
  LIST: 'logs.costList',
} as const;

/** The cost of the call, and the rest of the charge. */
export function CostSection({ cost }: { readonly cost: NonNullable<LogRow['cost']> }) {
  const { t } = useTranslation();
  const lines = (cost.lines ?? []).map((line): [string, string] => {
    const kind = quantityLabel(t, line.quantity);
    const price = line.isPerMillion
      ? t('logs.billPerMillion', { price: callPrice(line.price) })
      : callPrice(line.price);
    return [kind, `${integer(line.count)} × ${price} = ${dollars(line.usd, 6)}`];
  });
  return (
    <Section title={t('logs.costTitle')}>
      <NameValues
        rows={[
          [t('logs.costBasis'), t(bases[cost.basis])],
          [t('logs.priceCard'), cost.card ?? null],
          ...lines,
          [t('logs.costFactor'), cost.factor === 1 ? null : `× ${ratio(cost.factor)}`],
          [t('logs.costTitle'), dollars(cost.usd, 6)],
          [
            t('logs.margin'),
            <ToneChip key="margin" tone={cost.marginUsd < 0 ? 'red' : 'green'}>
              {dollars(cost.marginUsd, 6)}
            </ToneChip>,
          ],
        ]}
      />
    </Section>
  );
}

export function ContentSection({ row }: { readonly row: LogRow }) {
  const { t } = useTranslation();
  const texts = [
    { name: t('fields.systemPrompt'), text: row.conversation?.systemPrompt },
    { name: t('logs.context'), text: row.conversation?.context },
    { name: t('fields.input'), text: row.conversation?.input },
    { name: t('fields.output'), text: row.conversation?.output },
  ].flatMap(({ name, text }) => (text ? [{ name, text }] : []));
  const content = contentOf(row, t);
  if (content === '' && texts.length === 0) return null;
  return (
    <Section title={t('logs.content')}>
      {content !== '' && <Box sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{content}</Box>}
      {texts.map(({ name, text }) => (
        <Box key={name} sx={{ mt: 1.5 }}>
          <Box sx={{ fontSize: 12, color: 'text.secondary', mb: 0.5 }}>{name}</Box>
          <CodeBlock text={text} copyLabel={t('logs.copyContent', { name })} />
        </Box>
      ))}
    </Section>
  );
}
