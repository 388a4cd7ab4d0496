import { CombinedGraphQLErrors } from '@apollo/client/errors';
import i18next from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
import { languages } from '../../i18n/languages.js';
import { describeFailure } from '../../lib/errors.js';
import { inWords } from './providerStatus.js';

it.each(languages)('says in %s that the provider refused the key', async (language) => {
  await startI18n();
  await changeLanguage(language, false);
  await loadAllTexts();
  const errors = [{ message: 'status code: 401', extensions: { code: 'UPSTREAM_ERROR' } }];
  const reason = describeFailure(new CombinedGraphQLErrors({ errors }), i18next.t);
  expect(inWords(reason, i18next.t)).toBe(i18next.t('channels.providerRefused', { status: '401' }));
  expect(inWords('The provider has a status code: 401', i18next.t)).toBe('The provider has a status code: 401');
});
