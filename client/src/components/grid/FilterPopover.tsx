import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import LinearProgress from '@mui/material/LinearProgress';
import MenuItem from '@mui/material/MenuItem';
import MenuList from '@mui/material/MenuList';
import Popover from '@mui/material/Popover';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { count as shortCount } from '../../lib/format.js';
import type { FilterField } from './filterField.js';
import { TextFilter } from './filterFields.js';

/** Where the popover is, in the window, and which field it edits; null: it lists the fields. */
export interface OpenFilter {
  readonly left: number;
  readonly top: number;
  readonly name: string | null;
}

interface FilterPopoverProps {
  readonly opened: OpenFilter | null;
  readonly fields: readonly FilterField[];
  /** Fields that can be added. */
  readonly unset: readonly FilterField[];
  readonly textOf: (name: string) => string;
  readonly onField: (name: string) => void;
  readonly onType: (name: string, text: string, isValid: boolean) => void;
  readonly onChoose: (name: string, value: string) => void;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Lists the fields of a filter bar, then edits the chosen one. */
export function FilterPopover(props: FilterPopoverProps) {
  const { opened, fields, unset, textOf, onField, onType, onChoose, onClose, onClosed } = props;
  const { t } = useTranslation();
  // While the popover closes, it keeps its content.
  const [last, setLast] = useState(opened);
  if (opened && last !== opened) setLast(opened);
  const shown = opened ?? last;
  const field = fields.find(({ name }) => name === shown?.name);
  return (
    <Popover
      open={opened !== null}
      // The chip of the field may come and go while one types, and would take the popover with it.
      anchorReference="anchorPosition"
      anchorPosition={{ left: shown?.left ?? 0, top: shown?.top ?? 0 }}
      onClose={onClose}
      slotProps={{
        transition: { onExited: onClosed },
        paper: {
          role: 'dialog',
          'aria-label': field?.label ?? t('grid.addFilter'),
          sx: { width: 280, maxWidth: 'calc(100% - 32px)' },
        },
      }}
    >
      {field ? (
        <FieldEditor
          key={field.name}
          field={field}
          text={textOf(field.name)}
          onType={(text, isValid) => onType(field.name, text, isValid)}
          onChoose={(value) => onChoose(field.name, value)}
          onDone={onClose}
        />
      ) : (
        <MenuList autoFocusItem aria-label={t('grid.addFilter')}>
          {unset.map(({ name, label }) => (
            <MenuItem key={name} onClick={() => onField(name)}>
              {label}
            </MenuItem>
          ))}
        </MenuList>
      )}
    </Popover>
  );
}

/** A text field, which applies with Enter or when it is left, and the values to choose from, narrowed by the text. */
function FieldEditor({
  field,
  text,
  onType,
  onChoose,
  onDone,
}: {
  readonly field: FilterField;
  readonly text: string;
  readonly onType: (text: string, isValid: boolean) => void;
  readonly onChoose: (value: string) => void;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation();
  const { label, placeholder, typed, hint, choices, isLoading = false, problemOf, onType: find } = field;
  const list = useRef<HTMLUListElement>(null);
  // A field that is opened again offers all values until something else is typed.
  const [isNarrowed, setNarrowed] = useState(false);
  const problem = text.trim() === '' ? undefined : problemOf?.(text.trim());
  const wanted = text.trim().toLowerCase();
  const offered =
    isNarrowed && !find ? choices?.filter((choice) => choice.label.toLowerCase().includes(wanted)) : choices;
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (!problem) onDone();
      }}
    >
      {typed && (
        <Box
          sx={{ padding: '10px 10px 8px' }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            list.current?.querySelector<HTMLElement>('[role=option]')?.focus();
          }}
        >
          <TextFilter
            autoFocus
            label={placeholder ?? label}
            digits={typed === 'digits'}
            value={text}
            wrong={problem !== undefined}
            onChange={(next) => {
              setNarrowed(next !== '');
              find?.(next.trim());
              onType(next, next.trim() === '' || problemOf?.(next.trim()) === undefined);
            }}
            width="100%"
          />
          {(problem ?? hint) && (
            <FormHelperText error={problem !== undefined} role={problem ? 'alert' : undefined}>
              {problem ?? hint}
            </FormHelperText>
          )}
        </Box>
      )}
      {isLoading && !choices && <LinearProgress aria-label={t('grid.loading')} />}
      {offered && offered.length > 0 && (
        <MenuList
          ref={list}
          role="listbox"
          aria-label={label}
          autoFocusItem={!typed}
          sx={{ maxHeight: 320, overflowY: 'auto', ...(typed ? { pt: 0 } : {}) }}
        >
          {offered.map(({ value, label: name, count, isCapped = false }) => (
            <MenuItem
              key={value}
              role="option"
              aria-selected={value === text}
              selected={value === text}
              onClick={() => onChoose(value)}
            >
              <span className="ellipsis">{name}</span>
              {count !== undefined && (
                <Box component="span" className="num" sx={{ ml: 'auto', pl: 2, color: 'text.secondary', fontSize: 12 }}>
                  {`${shortCount(count)}${isCapped ? '+' : ''}`}
                </Box>
              )}
            </MenuItem>
          ))}
        </MenuList>
      )}
      {!typed && offered?.length === 0 && <Box sx={{ padding: 2, color: 'text.secondary' }}>{t('grid.noValues')}</Box>}
    </Box>
  );
}
