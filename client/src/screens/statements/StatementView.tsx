import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../components/Notice.js';
import { ObjectMissing } from '../../components/ObjectPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { PlainTable } from '../../components/PlainTable.js';
import { StatBadges } from '../../components/StatBadges.js';
import { ToneChip } from '../../components/Tone.js';
import { useFileExport } from '../../components/useFileExport.js';
import { useActing } from '../../lib/acting.js';
import { sitePath } from '../../lib/basePath.js';
import { dateTime, integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { creditName } from './creditName.js';
import { monthName } from '../../nouns/statements/statementColumns.js';
import { Figure, StatementUsage } from './StatementUsage.js';
import {
  StatementPageDocument,
  StatementPreviewDocument,
  type StatementPartsFragment,
} from './statements.generated.js';

interface Back {
  readonly label: string;
  readonly to: string;
}

/** A closed statement. */
export function ClosedStatement({ id, list }: { readonly id: number; readonly list: Back }) {
  const { data, error, loading, refetch } = useQuery(StatementPageDocument, { variables: { id } });
  if (data?.statement) return <Paper statement={data.statement} list={list} />;
  return <Missing error={error} isLoading={loading} list={list} onRetry={() => void refetch()} />;
}

/** The preview of the month that runs. @param account of someone else, for those who see payments */
export function CurrentStatement({ account, list }: { readonly account?: number; readonly list: Back }) {
  const variables = { accountId: account ?? null };
  const { data, error, loading, refetch } = useQuery(StatementPreviewDocument, {
    variables,
    fetchPolicy: 'network-only',
  });
  if (data?.statementPreview) return <Paper statement={data.statementPreview} list={list} account={account} />;
  return <Missing error={error} isLoading={loading} list={list} onRetry={() => void refetch()} />;
}

function Missing(props: {
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly list: Back;
  readonly onRetry: () => void;
}) {
  const { t } = useTranslation();
  return <ObjectMissing title={t('statements.statement')} gone={t('statements.gone')} {...props} />;
}

function Paper({
  statement,
  list,
  account,
}: {
  readonly statement: StatementPartsFragment;
  readonly list: Back;
  /** The account of a preview that is not the reader's own. */
  readonly account?: number | undefined;
}) {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const { id, number, month, seller, buyer } = statement;
  const path = `/api/statement/${id ?? 'preview'}`;
  const name = `statement-${number ?? month}`;
  const language = i18n.language;
  const organisation = useActing()?.organisationId;
  const ofAccount: Record<string, string> = account === undefined ? {} : { account_id: String(account) };
  const printed = new URLSearchParams({
    language,
    ...ofAccount,
    // A link sends no header.
    ...(organisation === undefined ? {} : { organization: String(organisation) }),
  });
  const csv = useFileExport(`${path}/csv`, `${name}.csv`);
  const pdf = useFileExport(`${path}/pdf`, `${name}.pdf`);
  const files = [
    { label: t('statements.pdf'), busy: pdf.busy, onSelect: () => void pdf.save({ language, ...ofAccount }) },
    {
      label: t('statements.print'),
      onSelect: () => void window.open(sitePath(`${path}/print?${printed.toString()}`), '_blank', 'noopener'),
    },
    ...(id === null ? [] : [{ label: t('statements.csv'), busy: csv.busy, onSelect: () => void csv.save({}) }]),
  ];
  const amount = (quota: number) => money(quota, 'balance');
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: statement.timeZone });
  const from = day.format(new Date(statement.startsAt));
  // The end is the first instant of the next month.
  const until = day.format(Date.parse(statement.endsAt) - 1);
  return (
    <ListScreen
      title={t('statements.title', { month: monthName(month, language) })}
      list={list}
      chips={id === null && <ToneChip tone="amber">{t('statements.preview')}</ToneChip>}
      meta={[number, t('statements.period', { from, until }), statement.timeZone].filter(Boolean).join(' · ')}
      menu={files}
      badges={
        <StatBadges
          label={t('statements.statement')}
          stats={[
            { label: t('statements.closing'), value: amount(statement.closing) },
            { label: t('statements.opening'), value: amount(statement.opening) },
            { label: t('statements.credits'), value: amount(statement.credits) },
            { label: t('statements.usage'), value: amount(-statement.usage) },
            ...(id === null ? [{ label: t('statements.reserved'), value: amount(statement.reserved) }] : []),
          ]}
        />
      }
      notice={id === null && <Notice tone="blue">{t('statements.previewHint')}</Notice>}
    >
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' } }}
      >
        <Party title={t('statements.seller')} lines={[seller.name, seller.address, seller.taxNumber]} />
        <Party title={t('statements.buyer')} lines={[buyer.name || buyer.username, buyer.address, buyer.taxNumber]} />
      </Box>
      {statement.movements.length > 0 && (
        <PlainTable
          label={t('statements.movements')}
          title={t('statements.movements')}
          heads={[t('statements.kind'), t('statements.count'), t('statements.amount')]}
        >
          {statement.movements.map(({ kind, count, amount: sum }) => (
            <tr key={kind}>
              <th scope="row">{creditName(t, kind)}</th>
              <Figure>{integer(count)}</Figure>
              <Figure>{amount(sum)}</Figure>
            </tr>
          ))}
        </PlainTable>
      )}
      {statement.payments.length > 0 && (
        <PlainTable
          label={t('statements.payments')}
          title={t('statements.payments')}
          heads={[t('payments.tradeNo'), t('statements.kind'), t('statements.time'), t('statements.amount')]}
          texts={3}
        >
          {statement.payments.map(({ kind, at, amount: sum, reference }, index) => (
            <tr key={index}>
              <th scope="row">{reference || '–'}</th>
              <Figure>{creditName(t, kind)}</Figure>
              <Figure>{dateTime(at)}</Figure>
              <Figure>{amount(sum)}</Figure>
            </tr>
          ))}
        </PlainTable>
      )}
      <StatementUsage statement={statement} />
      {seller.note && <Box sx={{ color: 'text.secondary', whiteSpace: 'pre-line' }}>{seller.note}</Box>}
    </ListScreen>
  );
}

function Party({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <Card component="section" aria-label={title} sx={{ padding: 2 }}>
      <Box component="h2" sx={{ m: 0, mb: 0.5, fontSize: 12, fontWeight: 500, color: 'text.secondary' }}>
        {title}
      </Box>
      {lines.filter(Boolean).map((line) => (
        <Box key={line} sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {line}
        </Box>
      ))}
    </Card>
  );
}
