import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import FileDownloadOutlinedIcon from '@mui/icons-material/FileDownloadOutlined';
import { useTranslation } from 'react-i18next';
import { readerZone } from '../lib/reader.js';
import { useIsMobile } from '../lib/useMediaFlags.js';
import { useActionMenu } from './useActionMenu.js';
import { useCsvExport } from './useCsvExport.js';

/** Exports all rows of a list or chart as a CSV file. */
export function ExportButton({
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
}) {
  const { t, i18n } = useTranslation();
  const mobile = useIsMobile();
  const { busy, save: saveCsv } = useCsvExport(path, name);
  const save = (form: Readonly<Record<string, string>> = {}) => saveCsv({ ...parameters(), ...form });
  const menu = useActionMenu([
    {
      label: t('export.people'),
      onSelect: () =>
        void save({
          format: 'people',
          time_zone: readerZone(),
          language: i18n.language,
        }),
    },
    { label: t('export.programs'), onSelect: () => void save() },
  ]);
  const onClick = people ? menu.open : () => void save();
  const popup = people ? ({ 'aria-haspopup': 'menu' } as const) : {};
  if (mobile) {
    return (
      <>
        <IconButton aria-label={t('actions.export')} disabled={busy} onClick={onClick} {...popup}>
          {busy ? <CircularProgress size={18} /> : <FileDownloadOutlinedIcon />}
        </IconButton>
        {menu.menu}
      </>
    );
  }
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<FileDownloadOutlinedIcon />}
        loading={busy}
        loadingPosition="start"
        onClick={onClick}
        {...popup}
      >
        {t('actions.export')}
      </Button>
      {menu.menu}
    </>
  );
}
