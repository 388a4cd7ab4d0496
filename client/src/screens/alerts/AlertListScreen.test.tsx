import { act, screen } from '@testing-library/react';
import { changeLanguage } from '../../i18n/i18n.js';
import type { Language } from '../../i18n/languages.js';
import { AlertsDocument } from '../../nouns/alerts/alerts.generated.js';
import { alertKinds } from '../../nouns/alerts/alertTexts.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { AlertListScreen } from './AlertListScreen.js';

const none = answers(AlertsDocument, { alerts: { __typename: 'AlertPage', totalCount: 0, items: [] } });

it.each<[Language, string, RegExp]>([
  ['en', 'Low balance', /, /],
  ['zh', '余额不足', /[、和]/],
  ['ru', 'Низкий баланс', /, | и /],
])('names each kind of alert in the empty list, with separators (%s)', async (language, oneKind, separators) => {
  signInAs('ALERTS');
  await renderScreen({ routes: [{ path: '/', element: <AlertListScreen /> }], mocks: [none] as never });
  await act(() => changeLanguage(language, false));
  const sentence = (await screen.findByText(new RegExp(oneKind))).textContent;
  const kinds = sentence.replace(/^.*[:：]\s*|[.。]$/g, '').split(separators);
  expect(kinds).toHaveLength(alertKinds.length);
  expect(kinds).toContain(oneKind);
});

it('says of each alert whether its messages were sent', async () => {
  const alert = (id: number, failedMessages: object[]) => ({
    __typename: 'Alert',
    id,
    kind: 'CHANNEL_DISABLED',
    channelId: id,
    channelName: `channel ${id}`,
    reason: '401',
    openedAt: '2025-06-02T10:11:00.000Z',
    failedMessages,
    balance: null,
    threshold: null,
    calls: null,
    failedCalls: null,
    models: null,
    endpoints: null,
    count: null,
    endedAt: null,
  });
  const failed = { __typename: 'FailedMessage', target: 'EMAIL', error: 'refused by the server' };
  const items = [alert(2, [failed]), alert(1, [])];
  signInAs('ALERTS');
  await renderScreen({
    routes: [{ path: '/', element: <AlertListScreen /> }],
    mocks: [answers(AlertsDocument, { alerts: { __typename: 'AlertPage', totalCount: 2, items } })] as never,
  });
  await screen.findByText('Not sent');
  const delivery = (id: number) =>
    document.querySelector(`[role=row][data-id="${String(id)}"] [data-field=messages]`)?.textContent;
  expect([delivery(2), delivery(1)]).toEqual(['Not sent', 'Sent']);
  expect(screen.getByRole('columnheader', { name: 'Delivery' })).toBeInTheDocument();
});
