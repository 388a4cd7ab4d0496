import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useRowsOf } from '../../lib/useLocalGrid.js';
import type { useServerGrid } from '../../lib/useServerGrid.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { column } from '../../components/grid/columns.js';
import { namesAsChoices } from '../../components/grid/filterField.js';
import { MayLink } from '../../components/MayLink.js';
import { ToneChip } from '../../components/Tone.js';
import { groupTone } from '../groups/groupTone.js';
import { modelAddress } from '../objects/addresses.js';

/** A model as one group calls it. */
export interface Service {
  readonly modelName: string;
  readonly group: string;
}

/** The part of a list's address that its filters need. */
type Address = ReturnType<typeof useServerGrid<{ keyword: string; group: string }>>;

/** @returns the page of services that pass the filters by name and group, and the groups to choose from */
export function useServices<Row extends Service>(all: readonly Row[] | undefined, address: Address) {
  const { keyword, group } = address.filter;
  const groups = useMemo(() => [...new Set(all?.map((row) => row.group))].sort(), [all]);
  const found = useMemo(
    () =>
      (all ?? []).filter(
        (row) =>
          row.modelName.toLowerCase().includes(keyword.trim().toLowerCase()) && (group === '' || row.group === group),
      ),
    [all, keyword, group],
  );
  const { grid, rows } = useRowsOf(found, address);
  return { groups, found, grid, rows };
}

/** Name and group of services. */
export function ServiceFilters({
  address,
  groups,
  since,
}: {
  readonly address: Address;
  readonly groups: readonly string[];
  /** The start of the period that the shown figures cover; absent while they load. */
  readonly since: string | undefined;
}) {
  const { t } = useTranslation();
  return (
    <FilterBar
      filters={address.filters}
      search={{ label: t('fields.modelName') }}
      fields={[{ name: 'group', label: t('fields.group'), choices: namesAsChoices(groups) }]}
      // The blank keeps the height of the line on phones, so that the list does not move.
      end={since ?? '\u00a0'}
    />
  );
}

/** The columns that name a service. */
export function serviceColumns<Row extends Service>(t: TFunction): GridColDef<Row>[] {
  return [
    column('modelName', t('fields.model'), { flex: 1, minWidth: 180 }, (row) => (
      <MayLink permission="USAGE_READ" to={modelAddress(row.modelName)} className="ellipsis">
        {row.modelName}
      </MayLink>
    )),
    column('group', t('fields.group'), 120, (row) => <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>),
  ];
}
