import { useTranslation } from 'react-i18next';
import { readerZone } from '../lib/reader.js';
import type { RowAction } from './ActionMenu.js';
import { useFileExport } from './useFileExport.js';

/** The entries of a page's menu that export all rows of a list or chart as a CSV file. */
export function useExportActions({
  path,
  parameters,
  name,
  people = false,
}: {
  /** The export's path under `/api`. */
  readonly path: string;
  /** Returns the filters; called on click. */
  readonly parameters: () => Readonly<Record<string, string>>;
  /** The file name without its extension. */
  readonly name: string;
  /** Whether the server also writes a file for people, with USD, local times and names. */
  readonly people?: boolean;
}): readonly RowAction[] {
  const { t, i18n } = useTranslation();
  const { busy, save } = useFileExport(path, `${name}.csv`);
  const action = (label: string, form: Readonly<Record<string, string>> = {}): RowAction => ({
    label,
    busy,
    onSelect: () => void save({ ...parameters(), ...form }),
  });
  if (!people) return [action(t('actions.export'))];
  return [
    action(t('export.people'), { format: 'people', time_zone: readerZone(), language: i18n.language }),
    action(t('export.programs')),
  ];
}
