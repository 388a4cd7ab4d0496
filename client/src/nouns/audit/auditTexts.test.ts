import i18n from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
import { languages } from '../../i18n/languages.js';
import { actionText } from './auditTexts.js';

/** Every action that the server writes for no object. */
const actions = [
  ...['grant', 'endSessions', 'giveRole', 'promote', 'demote', 'fix', 'start', 'cancel', 'resetSecondFactors'],
  ...['addAuthenticatorApp', 'removeAuthenticatorApp', 'addPasskey', 'removePasskey', 'renewRecoveryCodes'],
  ...['renewAccessToken', 'createAccessToken', 'revokeAccessToken', 'markPaid', 'refund'],
];

it.each(languages)('names every action in %s', async (language) => {
  await startI18n();
  await changeLanguage(language, false);
  await loadAllTexts();
  for (const action of actions) expect(actionText(action, i18n.t)).not.toBe(action);
});

it('shows an action of a newer server as it is', () => {
  expect(actionText('somethingNew', i18n.t)).toBe('somethingNew');
});
