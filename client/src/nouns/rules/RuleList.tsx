import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import ArrowDownwardOutlinedIcon from '@mui/icons-material/ArrowDownwardOutlined';
import ArrowUpwardOutlinedIcon from '@mui/icons-material/ArrowUpwardOutlined';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../../components/Segments.js';
import { AreaControl, type ControlProps } from '../settings/AreaControl.js';
import { useSetting } from '../settings/SettingsContext.js';
import { moved, parseRules, rulesText, type RuleRow } from './ruleText.js';

export interface RuleEditorProps {
  /** The rule; absent for a new one. */
  readonly row: RuleRow | undefined;
  /** The other rules of the list. */
  readonly others: readonly RuleRow[];
  readonly onSave: (row: RuleRow) => void;
  readonly onClose: () => void;
}

/** Rules of a setting in their order, with an editor for one; or their JSON. */
export function RuleList({
  control,
  addLabel,
  nameOf,
  summary,
  renderEditor,
}: {
  readonly control: ControlProps;
  readonly addLabel: string;
  readonly nameOf: (row: RuleRow, index: number) => string;
  readonly summary: (row: RuleRow) => ReactNode;
  readonly renderEditor: (props: RuleEditorProps) => ReactNode;
}) {
  const { t } = useTranslation();
  const { value, change, writable } = useSetting(control.setting.key);
  const rows = parseRules(value);
  const [asJson, setAsJson] = useState(false);
  /** The rule in the editor; the length of the list: a new one. */
  const [edited, setEdited] = useState<number | null>(null);
  const put = (next: readonly RuleRow[]) => change(rulesText(next));
  const isJson = asJson || rows === null;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Segments
        label={t('rules.view')}
        value={isJson ? 'json' : 'rows'}
        onChange={(view) => setAsJson(view === 'json')}
        choices={[
          { value: 'rows', label: t('rules.list'), disabled: rows === null },
          { value: 'json', label: t('settings.viewJson') },
        ]}
      />
      {isJson ? (
        <Box sx={{ mt: 3 }}>
          <AreaControl {...control} />
        </Box>
      ) : (
        <>
          {rows.length === 0 && <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('rules.none')}</Box>}
          {rows.map((row, index) => {
            const name = nameOf(row, index);
            return (
              <Box
                key={index}
                role="group"
                aria-label={name}
                sx={{
                  border: '1px solid',
                  borderColor: 'divider',
                  borderRadius: '6px',
                  padding: '8px 8px 8px 12px',
                  display: 'grid',
                  gridTemplateColumns: 'minmax(0, 1fr) auto',
                  columnGap: 1,
                  rowGap: '4px',
                }}
              >
                <Box sx={{ fontWeight: 600, fontSize: 13, alignSelf: 'center', overflowWrap: 'anywhere' }}>{name}</Box>
                <Box sx={{ display: 'flex', alignItems: 'center' }}>
                  <IconButton
                    aria-label={t('rules.up', { name })}
                    disabled={!writable || index === 0}
                    onClick={() => put(moved(rows, index, -1))}
                  >
                    <ArrowUpwardOutlinedIcon />
                  </IconButton>
                  <IconButton
                    aria-label={t('rules.down', { name })}
                    disabled={!writable || index === rows.length - 1}
                    onClick={() => put(moved(rows, index, 1))}
                  >
                    <ArrowDownwardOutlinedIcon />
                  </IconButton>
                  <Button
                    size="small"
                    aria-label={t('rules.editOf', { name })}
                    disabled={!writable}
                    onClick={() => setEdited(index)}
                  >
                    {t('actions.edit')}
                  </Button>
                  <IconButton
                    aria-label={t('rules.remove', { name })}
                    disabled={!writable}
                    onClick={() => put(rows.filter((_, at) => at !== index))}
                  >
                    <DeleteOutlinedIcon />
                  </IconButton>
                </Box>
                <Box sx={{ gridColumn: '1 / 3', display: 'flex', flexWrap: 'wrap', gap: '6px', alignItems: 'center' }}>
                  {summary(row)}
                </Box>
              </Box>
            );
          })}
          <Button
            id={control.id}
            startIcon={<AddOutlinedIcon />}
            disabled={!writable}
            // The row's label would be its name otherwise.
            aria-label={addLabel}
            aria-describedby={control.describedBy}
            sx={{ alignSelf: 'flex-start' }}
            onClick={() => setEdited(rows.length)}
          >
            {addLabel}
          </Button>
          {edited !== null &&
            renderEditor({
              row: rows[edited],
              others: rows.filter((_, at) => at !== edited),
              onClose: () => setEdited(null),
              onSave: (row) => {
                put(edited < rows.length ? rows.map((old, at) => (at === edited ? row : old)) : [...rows, row]);
                setEdited(null);
              },
            })}
        </>
      )}
    </Box>
  );
}
