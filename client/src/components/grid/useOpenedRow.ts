import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { skipToken, useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../toast.js';

/**
 * Returns the row that the URL opens. If it is not on the loaded page, it is read by its id, so that a shared link
 * works wherever the row is in the list. A message is shown if there is no such row.
 * @param opened id from the URL; null: no row is open
 * @param variablesOf variables of `document` that find the row with an id; null for ids that no row has, as `new`
 * @returns undefined while it loads, and when there is no such row
 */
export function useOpenedRow<Data, Variables extends OperationVariables, Row extends { readonly id: number | string }>(
  rows: readonly Row[] | undefined,
  opened: string | null,
  document: TypedDocumentNode<Data, Variables>,
  variablesOf: (id: string) => Variables | null,
  pageOf: (data: Data) => { readonly items: readonly Row[] } | null | undefined,
): Row | undefined {
  const isOpened = ({ id }: Row): boolean => String(id) === opened;
  const onPage = rows?.find(isOpened);
  const variables = opened !== null && rows && !onPage ? variablesOf(opened) : null;
  const { data } = useQuery(document, variables === null ? skipToken : { variables });
  const found = data && variables !== null ? pageOf(data)?.items.find(isOpened) : undefined;
  const isGone = data !== undefined && variables !== null && !found;
  const { t } = useTranslation();
  useEffect(() => {
    if (isGone) toast.error(t('grid.rowGone'));
  }, [isGone, t]);
  return onPage ?? found;
}

/** Variables that find the row of an id among rows with whole numbers. */
export const byRowId = (id: string): { page: number; pageSize: number; filter: { ids: number[] } } | null =>
  /^\d{1,9}$/.test(id) ? { page: 0, pageSize: 1, filter: { ids: [Number(id)] } } : null;
