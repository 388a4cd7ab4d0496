import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useRef, type ReactNode, type SyntheticEvent } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useIsShown } from '../lib/useIsShown.js';
import { showFormError } from './form/showFormError.js';
import { toast } from './toast.js';

/**
 * A small form in a dialog, with Cancel and a submit button. It closes after a successful submit. Mount it again for
 * each opening, so that neither typed values nor a slow submit affect the next opening.
 */
export function FormDialog<T extends FieldValues>({
  form,
  title,
  submitLabel,
  destructive = false,
  disabled = false,
  errorField,
  fieldNames,
  onChange,
  onSubmit,
  onClose,
  children,
}: {
  readonly form: UseFormReturn<T>;
  readonly title: string;
  readonly submitLabel: string;
  readonly destructive?: boolean;
  /** Disables the submit button. */
  readonly disabled?: boolean;
  /** Shows the server's errors that name no field of the form. */
  readonly errorField: FieldPath<T>;
  /** Form fields by the server's field name, where the names differ. */
  readonly fieldNames?: Readonly<Record<string, FieldPath<T>>>;
  /** Called with every change of a field. */
  readonly onChange?: () => void;
  /** Rejects with the server's error. Resolves to false to keep the dialog open. */
  readonly onSubmit: (values: T) => unknown;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  const isShown = useIsShown();
  const submitting = useRef(false);
  const check = form.handleSubmit(async (values) => {
    // The dialog may have been closed while the fields were validated.
    if (!isShown.current) return;
    try {
      if ((await onSubmit(values)) !== false && isShown.current) onClose();
    } catch (error) {
      const shown =
        isShown.current &&
        showFormError(form, error, t, { fallback: errorField, ...(fieldNames ? { names: fieldNames } : {}) });
      if (!shown) toast.failure(error, t);
    }
  });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    // A key that is held down fires again before the button is disabled.
    if (submitting.current) return;
    submitting.current = true;
    try {
      await check();
    } finally {
      submitting.current = false;
    }
  };
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth>
      <form
        noValidate
        onSubmit={(event) => {
          // React passes events of a dialog to the form that opened it.
          event.stopPropagation();
          void submit(event);
        }}
        {...(onChange ? { onChange } : {})}
      >
        <DialogTitle>{title}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>{children}</DialogContent>
        <DialogActions>
          <Button variant="outlined" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <Button
            type="submit"
            variant="contained"
            color={destructive ? 'error' : 'primary'}
            disabled={disabled}
            loading={form.formState.isSubmitting}
          >
            {submitLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
