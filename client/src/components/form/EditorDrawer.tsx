import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { use, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { flushSync } from 'react-dom';
import { showFormError } from './showFormError.js';
import { InPage, SideDrawer } from '../SideDrawer.js';
import { toast } from '../toast.js';
import { UnsavedGuard, useMayDiscard } from './UnsavedGuard.js';

export interface EditorDrawerProps<T extends FieldValues> {
  readonly form: UseFormReturn<T>;
  readonly width: 480 | 640;
  readonly title: string;
  readonly meta?: ReactNode;
  /** A verb and a noun: "Save channel". */
  readonly saveLabel: string;
  /** Rejects with the server's error; one that names a field is shown there. */
  /** Resolves to false to keep the form open, unsaved. */
  readonly onSave: (values: T) => Promise<unknown>;
  readonly onClosed: () => void;
  /** The children show values only: nothing can be saved. */
  readonly readOnly?: boolean;
  /** Whether there are changes outside the form that `onSave` saves too. */
  readonly hasMore?: boolean;
  /**
   * Whether the page has a guard for its own unsaved changes. The drawer's guard replaces that guard, so it is mounted
   * only while the drawer has changes.
   */
  readonly pageHasGuard?: boolean;
  /** Form fields by the server's field name, where the names differ. */
  readonly fieldNames?: Readonly<Record<string, FieldPath<T>>>;
  readonly children: ReactNode;
}

/**
 * A form in a drawer. It counts the changes, asks before it discards them, saves with Ctrl+S or Cmd+S, focuses the first
 * error, and closes after saving. On the page of an object (`InPage`) it stays open, and what was saved is unchanged.
 */
export function EditorDrawer<T extends FieldValues>(props: EditorDrawerProps<T>) {
  const {
    form,
    width,
    title,
    meta,
    saveLabel,
    onSave,
    onClosed,
    readOnly = false,
    hasMore = false,
    pageHasGuard = false,
    fieldNames,
    children,
  } = props;
  const { t } = useTranslation();
  const mayDiscard = useMayDiscard();
  const formId = useId();
  const [open, setOpen] = useState(true);
  const { isSubmitting, dirtyFields } = form.formState;
  const changes = Object.keys(dirtyFields).length + (hasMore ? 1 : 0);

  // The form was saved or discarded, so leaving needs no further confirmation.
  const leaving = useRef(false);

  const isInPage = use(InPage);

  const leave = () => {
    if (isInPage) {
      form.reset(form.getValues());
      leaving.current = false;
      return;
    }
    leaving.current = true;
    setOpen(false);
    // Wait for the closing animation.
    setTimeout(onClosed, 160);
  };
  const close = async () => {
    if (changes === 0 || (await mayDiscard())) leave();
  };
  const discard = async () => {
    if (!(await mayDiscard())) return;
    form.reset();
    onClosed();
  };
  // The fields of a folded section cannot take the focus.
  const unfold = () =>
    document
      .getElementById(formId)
      ?.querySelectorAll('details')
      .forEach((section) => (section.open = true));
  const save = form.handleSubmit(async (values) => {
    leaving.current = true;
    try {
      if ((await onSave(values)) === false) leaving.current = false;
      else leave();
    } catch (error) {
      leaving.current = false;
      unfold();
      const shown = showFormError(form, error, t, { ...(fieldNames ? { names: fieldNames } : {}) });
      if (!shown) toast.failure(error, t);
    }
  }, unfold);
  // A key that is held down, or the second click of a double click, may fire before the button is disabled or the
  // drawer is closed.
  const checking = useRef(false);
  const submit = async () => {
    if (checking.current || leaving.current) return;
    checking.current = true;
    try {
      await save();
    } finally {
      checking.current = false;
    }
  };

  const latest = useRef(submit);
  useEffect(() => {
    latest.current = submit;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      const focused = document.activeElement;
      const dialog = focused?.closest('[role="dialog"], [role="alertdialog"]');
      // A dialog in front has its own form.
      if (readOnly || (dialog && !dialog.contains(document.getElementById(formId)))) return;
      // Lists accept typed text when they lose the focus, as they do when the button is pressed.
      if (focused instanceof HTMLElement && dialog) {
        flushSync(() => focused.blur());
        focused.focus();
      }
      void latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [formId, readOnly]);
  return (
    <SideDrawer
      open={open}
      width={width}
      title={title}
      meta={meta}
      onClose={() => void close()}
      footer={
        // On a page the bar comes only with changes.
        !(isInPage && changes === 0) && (
          <>
            <Box className="num" role="status" sx={{ flex: 1, color: 'text.secondary', fontSize: 13 }}>
              {changes > 0 ? t('form.changes', { count: changes }) : ''}
            </Box>
            {!isInPage && (
              <Button variant="outlined" onClick={() => void close()}>
                {readOnly ? t('actions.close') : t('actions.cancel')}
              </Button>
            )}
            {isInPage && changes > 0 && (
              <Button variant="outlined" onClick={() => void discard()}>
                {t('form.discardVerb')}
              </Button>
            )}
            {!readOnly && (
              <Button type="submit" form={formId} variant="contained" loading={isSubmitting}>
                {saveLabel}
              </Button>
            )}
          </>
        )
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {/* The browser's Back button closes the drawer too, because the URL opens it. */}
        {(changes > 0 || !pageHasGuard) && <UnsavedGuard isActive={changes > 0} leaving={leaving} />}
        {children}
      </form>
    </SideDrawer>
  );
}
