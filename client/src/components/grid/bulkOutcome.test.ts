import i18next from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
import { messages } from '../toast.js';
import { showOutcome } from './bulkOutcome.js';

it('shows why a row was not changed in the language of the reader, and keeps what still exists', async () => {
  await startI18n();
  await changeLanguage('zh', false);
  await loadAllTexts();
  const failed = [
    { id: 3, code: 'CONFLICT', message: 'Name is taken' },
    { id: 4, code: 'NOT_FOUND', message: 'Channel 4 does not exist' },
  ];
  const kept = showOutcome({ done: [1], failed }, i18next.t, {
    done: String,
    refused: (counts) => i18next.t('channels.bulkRefused', counts),
  });
  expect(kept).toEqual([3]);
  expect(messages.get().at(-1)?.text).toContain('与当前状态冲突（Name is taken）');
});
