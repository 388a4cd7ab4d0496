import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/Notice.js';
import { StatBadges } from '../../components/StatBadges.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { ImportReportPartsFragment } from './import.generated.js';

type Report = ImportReportPartsFragment;
type Severity = Report['findings'][number]['severity'];

const tones: Readonly<Record<Severity, Tone>> = {
  BLOCKING: 'red',
  REFUSED: 'red',
  DISABLED: 'amber',
  CHANGED: 'blue',
  LEFT_OUT: 'outline',
  NOTICE: 'outline',
};

/** Figures, tables and findings of a dry run or of an import, and its verdict. */
export function ImportReport({ report }: { readonly report: Report }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { proof, sums } = report;
  const program = [report.family, report.version].filter(Boolean).join(' ');
  return (
    <>
      <Box sx={{ fontSize: 13, color: 'text.secondary' }}>
        {t('siteImport.program', { program, engine: report.engine, seconds: integer(report.seconds) })}
      </Box>
      {proof && (
        <Notice tone={proof.isProven ? 'blue' : 'red'}>
          {proof.isProven ? t('siteImport.proven') : t('siteImport.notProven')}
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
            <li>{proof.sumsAreEqual ? t('siteImport.sumsEqual') : t('siteImport.sumsDiffer')}</li>
            <li>{t('siteImport.keysFound', { found: integer(proof.keysFound), all: integer(proof.keysExpected) })}</li>
            <li>
              {proof.drifts === 0 ? t('siteImport.ledgerConsistent') : t('siteImport.drifts', { count: proof.drifts })}
            </li>
            <li>{t('siteImport.replayed', { equal: integer(proof.replayedEqual), all: integer(proof.replayed) })}</li>
          </Box>
        </Notice>
      )}
      {report.isBlocked && <Notice tone="red">{t('siteImport.blocked')}</Notice>}
      <StatBadges
        label={t('siteImport.sums')}
        stats={[
          { label: t('siteImport.userBalances'), value: money(sums.userQuota, 'balance') },
          { label: t('siteImport.keyBalances'), value: money(sums.tokenRemainQuota, 'balance') },
          { label: t('siteImport.inviteBalances'), value: money(sums.affiliateQuota, 'balance') },
          ...(sums.planQuota > 0
            ? [{ label: t('siteImport.planBalances'), value: money(sums.planQuota, 'balance') }]
            : []),
        ]}
      />
      <Tables report={report} />
      <Differences report={report} />
      <Channels report={report} />
      {effects.map((effect) => (
        <Findings key={effect} effect={effect} findings={report.findings} />
      ))}
    </>
  );
}

const effects = ['REFUSED_HERE', 'COSTS_DIFFERENTLY', 'LEFT_OUT', 'NONE'] as const;

/** Findings of one effect, under its name. */
function Findings({
  effect,
  findings,
}: {
  readonly effect: (typeof effects)[number];
  readonly findings: Report['findings'];
}) {
  const { t } = useTranslation();
  const some = findings.filter(({ list }) => (list ?? 'NONE') === effect);
  if (some.length === 0) return null;
  return (
    <Box component="section" aria-label={t(`siteImport.effects.${effect}`)} sx={{ display: 'grid', gap: 0.5 }}>
      <Typography variant="h3" sx={{ fontSize: 13 }}>
        {t(`siteImport.effects.${effect}`)}
      </Typography>
      {some.map((finding) => (
        <Finding key={finding.code} finding={finding} />
      ))}
    </Box>
  );
}

/** Charges of the source's log that would differ here. */
function Differences({ report }: { readonly report: Report }) {
  const { t } = useTranslation();
  if (report.differences.length === 0) return null;
  const columns = ['model', 'group', 'calls', 'there', 'here', 'perMonth'] as const;
  return (
    <PlainTable label={t('siteImport.differences')} columns={columns.map((name) => t(`siteImport.difference.${name}`))}>
      {report.differences.map(({ model, group, calls, there, here, perMonth, isAccepted }) => (
        <tr key={`${model} ${group}`}>
          <td>{isAccepted ? `${model} (${t('siteImport.difference.accepted')})` : model}</td>
          <td>{group}</td>
          <td className="num">{integer(calls)}</td>
          <td className="num">{integer(there)}</td>
          <td className="num">{here === null ? t('siteImport.difference.refused') : integer(here)}</td>
          <td className="num">{perMonth}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

/** The URLs to which channels send a chat call, in the source program and here. Differing ones come first. */
function Channels({ report }: { readonly report: Report }) {
  const { t } = useTranslation();
  if (report.channels.length === 0) return null;
  const columns = ['channel', 'there', 'here'] as const;
  const differs = ({ there, here }: Report['channels'][number]): number => Number(there !== here);
  const channels = report.channels.toSorted((left, right) => differs(right) - differs(left));
  return (
    <PlainTable
      isText
      label={t('siteImport.channels')}
      columns={columns.map((name) => t(`siteImport.channel.${name}`))}
    >
      {channels.map(({ id, name, model, there, here }) => (
        <tr key={id}>
          <td>{`${id} ${name} (${model})`}</td>
          <td>{there ?? t('siteImport.channel.unknown')}</td>
          <td>{there === here ? t('siteImport.channel.same') : (here ?? t('siteImport.channel.unknown'))}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Tables({ report }: { readonly report: Report }) {
  const { t } = useTranslation();
  const columns = ['found', 'moved', 'changed', 'same', 'leftOut'] as const;
  const title = (name: (typeof columns)[number]): string =>
    name === 'moved' && report.isDryRun ? t('siteImport.toMove') : t(`siteImport.columns.${name}`);
  return (
    <PlainTable columns={[t('siteImport.table'), ...columns.map(title)]}>
      {report.tables.map((row) => (
        <tr key={row.table}>
          <td>{row.table}</td>
          {columns.map((name) => (
            <td key={name} className="num">
              {integer(row[name])}
            </td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}

/** @param isText of all columns; otherwise the first column is text, and the others are figures */
function PlainTable({
  isText = false,
  label,
  columns,
  children,
}: {
  readonly isText?: boolean;
  readonly label?: string;
  readonly columns: readonly string[];
  readonly children: ReactNode;
}) {
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <Box
        component="table"
        sx={({ vars }) => ({
          borderCollapse: 'collapse',
          minWidth: '100%',
          fontSize: 12.5,
          '& th': { fontWeight: 500, color: vars.palette.text.secondary },
          '& th, & td': {
            padding: '5px 8px',
            textAlign: isText ? 'left' : 'right',
            whiteSpace: 'nowrap',
            borderBottom: `1px solid ${vars.palette.surface.line}`,
          },
          '& th:first-of-type, & td:first-of-type': { textAlign: 'left', pl: 0 },
        })}
      >
        {label && <caption>{label}</caption>}
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </Box>
    </Box>
  );
}

/**
 * A finding. Its reason is in the reader's language if the console knows it; a newer server may report unknown ones.
 */
function Finding({ finding }: { readonly finding: Report['findings'][number] }) {
  const { t, i18n } = useTranslation();
  const key = `siteImport.findings.${finding.code}`;
  const text = i18n.exists(key) ? t(key as 'siteImport.findings.plans') : finding.text;
  return (
    <Box component="details" sx={{ fontSize: 13, '& summary': { cursor: 'pointer' } }}>
      <summary>
        <Box component="span" sx={{ mr: 1 }}>
          <ToneChip tone={tones[finding.severity]}>{t(`siteImport.severities.${finding.severity}`)}</ToneChip>
        </Box>
        {text}{' '}
        <Box component="span" className="num" sx={{ color: 'text.secondary' }}>
          ({integer(finding.count)})
        </Box>
      </summary>
      <Box
        component="ul"
        sx={{ m: 0, mt: 0.5, pl: 3, fontSize: 12.5, color: 'text.secondary', overflowWrap: 'anywhere' }}
      >
        {finding.examples.map(({ table, id, detail }) => (
          <li key={`${table} ${id} ${detail}`}>{[table, id, detail].filter(Boolean).join(' · ')}</li>
        ))}
        {finding.count > finding.examples.length && (
          <li>{t('siteImport.more', { count: finding.count - finding.examples.length })}</li>
        )}
      </Box>
    </Box>
  );
}
