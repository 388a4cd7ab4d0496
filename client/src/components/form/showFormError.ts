import type { TFunction } from 'i18next';
import { get, type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form';
import { describeFailure, toFailure } from '../../lib/errors.js';

/**
 * Shows a server error at the form field that it names, else at `fallback`. A field that is not on the screen shows nothing.
 * @param names form fields by the server's field name, where the names differ
 * @returns false if no field shows the error
 */
export function showFormError<T extends FieldValues>(
  form: UseFormReturn<T>,
  error: unknown,
  t: TFunction,
  {
    names,
    fallback,
  }: { readonly names?: Readonly<Record<string, FieldPath<T>>>; readonly fallback?: FieldPath<T> } = {},
): boolean {
  const { field } = toFailure(error);
  const named = field === null ? undefined : (names?.[field] ?? (field as FieldPath<T>));
  const name = [named, fallback].find((one) => one !== undefined && isOnScreen(form, one));
  if (name !== undefined) form.setError(name, { message: describeFailure(error, t) }, { shouldFocus: true });
  return name !== undefined;
}

function isOnScreen<T extends FieldValues>({ control }: UseFormReturn<T>, name: FieldPath<T>): boolean {
  const field: { readonly _f?: { readonly mount?: boolean } } | undefined = get(control._fields, name);
  return field?._f?.mount === true;
}
