import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { GridFilters } from '../../lib/useServerGrid.js';
import { lazyPart } from '../lazyPart.js';
import { TextFilter } from './filterFields.js';
import type { FilterField } from './filterField.js';
import type { OpenFilter } from './FilterPopover.js';
import { useTypedFilters } from './useTypedFilters.js';

const FilterPopover = lazyPart(
  async () => (await import('./FilterPopover.js')).FilterPopover,
  ({ opened }) => opened !== null,
);

/** Elements in which the key F has another meaning. */
const ownKeys = 'input, textarea, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** The search of a list, which applies as one types, its filters as chips, and a button that adds one. */
export function FilterBar<F extends Record<string, string>>({
  filters,
  search,
  fields,
  end,
  onOpen,
}: {
  readonly filters: GridFilters<F>;
  /** The text field that is always shown. */
  readonly search?: { readonly name?: keyof F & string; readonly label: string };
  readonly fields: readonly FilterField[];
  /** Content at the right end of the bar. */
  readonly end?: ReactNode;
  /** Called with the name of the field that is opened, whose values may be loaded then. */
  readonly onOpen?: (name: string) => void;
}) {
  const { t } = useTranslation();
  const { filter, isFiltered, setFilter, resetFilter } = filters;
  const typed = useTypedFilters(filters);
  const [opened, setOpened] = useState<OpenFilter | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const searchName = search?.name ?? 'keyword';
  const set = fields.filter(({ name }) => (filter[name] ?? '') !== '');
  const unset = fields.filter((field) => !set.includes(field));
  const open = (at: HTMLElement, name: string | null): void => {
    const { left, bottom } = at.getBoundingClientRect();
    if (name !== null) onOpen?.(name);
    setOpened({ left, top: bottom + 4, name });
  };
  const close = (): void => {
    typed.finish();
    setOpened(null);
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, ctrlKey, metaKey, altKey } = event;
      const isTaken = target instanceof Element && target.closest(ownKeys);
      if (event.key !== 'f' || isTaken || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      addButton.current?.click();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    typed.finish();
  };
  return (
    <Box
      component="form"
      role="search"
      onSubmit={submit}
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}
    >
      {search && (
        <Box sx={{ flex: { xs: '1 1 180px', sm: '0 0 280px' } }} onBlur={typed.finish}>
          <TextFilter
            search
            label={search.label}
            value={typed.textOf(searchName)}
            onChange={(text) => typed.search(searchName, text)}
            width={280}
          />
        </Box>
      )}
      {set.map((field) => (
        <Chip
          key={field.name}
          field={field}
          value={filter[field.name] ?? ''}
          onOpen={(at) => open(at, field.name)}
          onRemove={() => {
            setFilter({ [field.name]: '' } as Partial<F>);
            addButton.current?.focus();
          }}
        />
      ))}
      {fields.length > 0 && (
        <Button
          ref={addButton}
          aria-haspopup="dialog"
          // The button stays focused. A disabled button would lose the focus.
          aria-disabled={unset.length === 0}
          startIcon={<AddOutlinedIcon />}
          onClick={(event) => {
            if (unset.length > 0) open(event.currentTarget, unset.length === 1 ? (unset[0]?.name ?? null) : null);
          }}
          sx={{
            color: unset.length === 0 ? 'text.disabled' : 'text.secondary',
            border: '1px dashed',
            borderColor: 'surface.lineStrong',
            px: '10px',
          }}
        >
          {t('grid.addFilter')}
        </Button>
      )}
      {isFiltered && (
        <Button onClick={resetFilter} sx={{ order: { xs: 1, sm: 0 } }}>
          {t('actions.reset')}
        </Button>
      )}
      {end && (
        // On a phone it has a line of its own, also before its text is known.
        <Box
          sx={{
            order: { xs: 1, sm: 0 },
            ml: { sm: 'auto' },
            width: { xs: '100%', sm: 'auto' },
            fontSize: 12,
            color: 'text.secondary',
          }}
        >
          {end}
        </Box>
      )}
      <FilterPopover
        opened={opened}
        fields={fields}
        unset={unset}
        textOf={typed.textOf}
        onField={(name) => {
          onOpen?.(name);
          setOpened((current) => current && { ...current, name });
        }}
        onType={typed.hold}
        onChoose={(name, value) => {
          typed.choose(name, value);
          setOpened(null);
        }}
        onClose={close}
        onClosed={() => {
          // The chip that was opened may be gone.
          if (document.activeElement === document.body) addButton.current?.focus();
        }}
      />
    </Box>
  );
}

/** A filter that is set: its value opens it, the cross removes it. */
function Chip({
  field,
  value,
  onOpen,
  onRemove,
}: {
  readonly field: FilterField;
  readonly value: string;
  readonly onOpen: (at: HTMLElement) => void;
  readonly onRemove: () => void;
}) {
  const { t } = useTranslation();
  const shown = field.choices?.find((choice) => choice.value === value)?.label ?? value;
  return (
    <Box
      className="num"
      sx={({ vars }) => ({
        display: 'inline-flex',
        minWidth: 0,
        maxWidth: '100%',
        // On a phone, the chips are below the search and the button.
        order: { xs: 1, sm: 0 },
        borderRadius: '6px',
        backgroundColor: vars.palette.action.selected,
      })}
    >
      <Button
        aria-haspopup="dialog"
        onClick={(event) => onOpen(event.currentTarget)}
        sx={{ minWidth: 0, maxWidth: 320, pl: '10px', pr: '4px', color: 'text.primary' }}
      >
        <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400, flexShrink: 0, mr: '5px' }}>
          {`${t('grid.chip', { field: field.label })} `}
        </Box>
        <span className="ellipsis">{shown}</span>
      </Button>
      <Button
        aria-label={t('grid.clearField', { field: field.label })}
        onClick={onRemove}
        sx={{ minWidth: 28, width: 28, p: 0, color: 'text.secondary', '& svg': { fontSize: 14 } }}
      >
        <CloseOutlinedIcon />
      </Button>
    </Box>
  );
}
