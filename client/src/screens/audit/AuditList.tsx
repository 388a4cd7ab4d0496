import HistoryOutlinedIcon from '@mui/icons-material/HistoryOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { RangeFilter } from '../../components/grid/RangeFilter.js';
import { column } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useExportActions } from '../../components/useExportActions.js';
import { dateTime } from '../../lib/format.js';
import { idPattern, listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { rangeOf } from '../../lib/timeRange.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { rowsOfSecond, useTimedRow } from '../../lib/useTimedRow.js';
import { priceKeys } from '../../nouns/settings/priceSettings.js';
import { AuditDetail } from '../../nouns/audit/AuditDetail.js';
import { AuditEntriesDocument, type AuditFilter, type AuditSortField } from '../../nouns/audit/audit.generated.js';
import type { AuditEntry } from '../../nouns/audit/auditChanges.js';
import { summaryOf } from '../../nouns/audit/auditFields.js';
import { AuditActor, AuditSubject, subjectText } from '../../nouns/audit/AuditSubject.js';
import { actionText, subjectTexts } from '../../nouns/audit/auditTexts.js';

const noFilters = { from: '', to: '', subject: '', id: '', actor: '', entry: '' };
const isSubject = (text: string): text is AuditEntry['subject'] => Object.hasOwn(subjectTexts, text);

/** The start of the range when none is chosen: before the first entry. */
const beginning = new Date('2020-01-01T00:00:00Z');

/** The variable `filter` of the query. @param prices only the settings that make prices */
export function toAuditFilter(filter: Readonly<typeof noFilters>, prices: boolean): AuditFilter {
  const { from, to } = rangeOf(filter, beginning);
  const id = filter.id.trim();
  const entry = filter.entry.trim();
  return {
    ...(filter.from || filter.to
      ? { created: { from: from.toISOString(), ...(to ? { until: to.toISOString() } : {}) } }
      : {}),
    ...(idPattern.test(filter.actor.trim()) ? { actorIds: [Number(filter.actor)] } : {}),
    ...(entry ? { entry } : {}),
    ...(prices
      ? { subjects: ['OPTION'], subjectIds: [...priceKeys] }
      : { ...(isSubject(filter.subject) ? { subjects: [filter.subject] } : {}), ...(id ? { subjectIds: [id] } : {}) }),
  };
}

/** Returns the filter of the list as the query of the export. */
export function toExportQuery(filter: AuditFilter): Record<string, string> {
  const { subjects, subjectIds, actorIds, entry, created } = filter;
  const seconds = (time: string | null | undefined, shift = 0) =>
    time ? String(Math.floor((new Date(time).getTime() + shift) / 1000)) : '';
  return {
    subject: (subjects ?? []).map((subject) => subject.toLowerCase()).join(','),
    subject_id: (subjectIds ?? []).join(','),
    actor_id: String(actorIds?.[0] ?? ''),
    entry: entry ?? '',
    start_timestamp: seconds(created?.from),
    end_timestamp: seconds(created?.until, -1),
  };
}

const sorts = ['createdAt'] satisfies SortOf<AuditSortField>[];

/** Changes by admins; with `prices` only changes of prices. */
export function AuditList({ prices }: { readonly prices: boolean }) {
  const { t } = useTranslation();
  const grid = useServerGrid({ filters: noFilters, patterns: { actor: idPattern }, sorts });
  const { opened, second, open } = useTimedRow();
  const { rows, reload, listProps } = useListPage(
    grid,
    AuditEntriesDocument,
    { ...listVariablesOf<AuditSortField>(grid), filter: toAuditFilter(grid.filter, prices) },
    ({ auditEntries }) => auditEntries,
  );
  const format = useFormat();
  const columns = useMemo(() => auditColumns(t, format), [t, format]);
  const openedEntry = useOpenedRow(
    rows,
    opened,
    AuditEntriesDocument,
    () => second && { ...rowsOfSecond, filter: { created: second } },
    ({ auditEntries }) => auditEntries,
  );
  const exports = useExportActions({
    path: '/api/audit/export',
    parameters: () => toExportQuery(toAuditFilter(grid.filter, prices)),
    name: prices ? 'price-history' : 'audit',
  });
  const title = prices ? t('shell.priceHistory') : t('shell.audit');
  return (
    <ListScreen
      title={title}
      range={<RangeFilter filters={grid.filters} start={beginning} startsAtFirst />}
      menu={[{ label: t('actions.refresh'), onSelect: reload }, ...exports]}
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            ...(prices
              ? []
              : [
                  {
                    name: 'subject',
                    label: t('audit.subject'),
                    choices: Object.entries(subjectTexts).map(([value, label]) => ({ value, label: t(label) })),
                  },
                  { name: 'id', label: t('audit.subjectId'), typed: 'text' as const },
                ]),
            { name: 'entry', label: prices ? t('audit.modelOrGroup') : t('audit.tableEntry'), typed: 'text' },
            { name: 'actor', label: t('audit.actorId'), typed: 'digits' },
          ]}
        />
      }
    >
      <ListGrid
        label={title}
        columnsKey={prices ? 'price-history-table-columns' : 'audit-table-columns'}
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={(row) => open(row.id, row.createdAt)}
        currentRow={opened}
        renderCard={(row) => (
          <RowCard
            title={subjectText(row, t)}
            value={<Num>{dateTime(row.createdAt, 'card')}</Num>}
            meta={summaryOf(row, t, format)}
            chips={
              <>
                <ActionChip row={row} />
                <ToneChip tone="outline">{row.actorName}</ToneChip>
              </>
            }
          />
        )}
        empty={
          <EmptyState
            icon={<HistoryOutlinedIcon />}
            title={t('audit.emptyTitle')}
            text={t(prices ? 'audit.noPriceChanges' : 'audit.emptyText')}
          />
        }
      />
      {openedEntry && <AuditDetail entry={openedEntry} onRestored={reload} onClose={() => open(null, null)} />}
    </ListScreen>
  );
}

function ActionChip({ row: { action } }: { readonly row: AuditEntry }) {
  const { t } = useTranslation();
  return (
    <ToneChip tone={action === 'delete' ? 'red' : action === 'create' ? 'green' : 'outline'}>
      {actionText(action, t)}
    </ToneChip>
  );
}

function auditColumns(t: TFunction, format: ReturnType<typeof useFormat>): GridColDef<AuditEntry>[] {
  return [
    column('createdAt', t('fields.time'), 160, (row) => <Num>{dateTime(row.createdAt, 'seconds')}</Num>),
    column('actor', t('audit.actor'), 140, (row) => (
      <Ellipsis title={`#${row.actorId} ${row.ip ?? ''}`}>
        <AuditActor entry={row} />
      </Ellipsis>
    )),
    column('action', t('audit.action'), 150, (row) => <ActionChip row={row} />),
    column('subject', t('audit.subject'), 230, (row) => (
      <Ellipsis title={subjectText(row, t)}>
        <AuditSubject entry={row} />
      </Ellipsis>
    )),
    column('changes', t('audit.changes'), { flex: 1, minWidth: 240 }, (row) => {
      const summary = summaryOf(row, t, format);
      return <Ellipsis title={summary}>{summary}</Ellipsis>;
    }),
  ];
}
