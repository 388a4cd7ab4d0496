import type { TFunction } from 'i18next';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { describeFailure, toFailure } from './errors.js';

/**
 * Shows a server error at the form field that it names, else at `fallback`.
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
  const name = named !== undefined && named in form.getValues() ? named : fallback;
  if (name !== undefined) form.setError(name, { message: describeFailure(error, t) }, { shouldFocus: true });
  return name !== undefined;
}
