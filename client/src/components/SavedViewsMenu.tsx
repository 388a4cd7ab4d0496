import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { listOf, readViews, removeView, saveView, searchOfView } from '../lib/savedViews.js';
import { ActionMenu, type RowAction } from './ActionMenu.js';
import { FormDialog } from './FormDialog.js';
import { TextInput } from './form/inputs.js';

/** Opens and saves views of the list at this address, and removes the one that is shown. */
export function SavedViewsMenu({
  anchor,
  onClose,
}: {
  /** The anchor of the menu; null while it is closed. */
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const list = listOf(pathname);
  const [naming, setNaming] = useState(false);
  const views = anchor === null ? [] : readViews(list);
  const shown = views.find((view) => view.search === searchOfView(search));
  const actions: RowAction[] = [
    ...(views.length === 0 ? [{ label: t('grid.noViews'), disabled: true, onSelect: () => undefined }] : []),
    ...views.map((view) => ({
      label: view.name,
      onSelect: () => void navigate(`${list}${view.search ? `?${view.search}` : ''}`, { flushSync: true }),
    })),
    { label: t('grid.saveView'), onSelect: () => setNaming(true) },
    ...(shown
      ? [
          {
            label: t('grid.removeView', { name: shown.name }),
            destructive: true,
            onSelect: () => void removeView(list, shown.name),
          },
        ]
      : []),
  ];
  return (
    <>
      <ActionMenu anchor={anchor} actions={actions} onClose={onClose} />
      {naming && <NameDialog onSave={(name) => saveView(list, { name, search })} onClose={() => setNaming(false)} />}
    </>
  );
}

function NameDialog({ onSave, onClose }: { readonly onSave: (name: string) => void; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ defaultValues: { name: '' } });
  return (
    <FormDialog
      form={form}
      title={t('grid.saveViewTitle')}
      submitLabel={t('grid.saveViewDone')}
      errorField="name"
      onClose={onClose}
      onSubmit={({ name }) => onSave(name.trim())}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('fields.name')}
        hint={t('grid.saveViewHint')}
        autoFocus
        maxLength={60}
        rules={{ validate: (value: string) => value.trim() !== '' || t('grid.viewNameMissing') }}
      />
    </FormDialog>
  );
}
