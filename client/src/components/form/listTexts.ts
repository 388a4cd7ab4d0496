import type { TFunction } from 'i18next';

/** Texts of a list that opens below a field: MUI's own are English in every language. */
export const listTexts = (t: TFunction) => ({
  openText: t('form.openList'),
  closeText: t('form.closeList'),
  noOptionsText: t('form.noOptions'),
});
