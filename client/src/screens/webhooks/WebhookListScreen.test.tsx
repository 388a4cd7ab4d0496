import { fireEvent, screen, within } from '@testing-library/react';
import { answers, rowOf, toneOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { WebhookDeliveryListScreen } from './WebhookDeliveryListScreen.js';
import { WebhookListScreen } from './WebhookListScreen.js';
import {
  CreateWebhookEndpointDocument,
  ResendWebhookDocument,
  ResendWebhooksDocument,
  TestWebhookDocument,
  WebhookDeliveriesDocument,
  WebhookEndpointsDocument,
} from './webhooks.generated.js';

jest.setTimeout(60_000);

const endpoint = (id: number, more: object = {}) => ({
  __typename: 'WebhookEndpoint',
  id,
  name: `System ${String(id)}`,
  url: `https://hooks.example.com/${String(id)}`,
  kinds: [] as string[],
  enabled: true,
  failingSince: null,
  switchedOffAt: null,
  ...more,
});
const kind = (name: string) => ({
  __typename: 'SiteEventKindInfo',
  kind: name.replace('.', '_').toUpperCase(),
  name,
});
const endpoints = (...webhookEndpoints: object[]) =>
  answers(WebhookEndpointsDocument, {
    webhookEndpoints,
    siteEventKinds: [kind('payment.paid'), kind('user.created'), kind('webhook.test')],
  });
const list = (mocks: unknown[]) =>
  renderScreen({
    path: '/webhook',
    routes: [{ path: '/webhook', element: <WebhookListScreen /> }],
    mocks: mocks as never,
  });

it('lists endpoints with their events and whether they work', async () => {
  signInAs();
  const time = '2026-11-20T14:05:00.000Z';
  const test = {
    request: { query: TestWebhookDocument, variables: { id: 1 } },
    result: jest.fn(() => ({
      data: {
        testWebhook: { __typename: 'TestWebhookPayload', delivery: { __typename: 'WebhookDelivery', id: '9' } },
      },
    })),
  };
  await list([
    endpoints(
      endpoint(1),
      endpoint(2, { kinds: ['PAYMENT_PAID'], failingSince: time }),
      endpoint(3, { enabled: false, switchedOffAt: time }),
      endpoint(4, { enabled: false }),
    ),
    test,
  ]);
  const first = await rowOf('System 1');
  first.getByText('All events');
  expect(toneOf(first.getByText('Works'))).toBe('green');
  const second = await rowOf('System 2');
  second.getByText('1 event');
  expect(toneOf(second.getByText('Failing'))).toBe('amber');
  expect(toneOf((await rowOf('System 3')).getByText('Switched off: it failed'))).toBe('red');
  expect(toneOf((await rowOf('System 4')).getByText('Off'))).toBe('grey');
  fireEvent.click(first.getByRole('button', { name: 'More of System 1' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Send a test' }));
  await screen.findByText(/A test is on its way/);
  expect(test.result).toHaveBeenCalledTimes(1);
});

it('creates the first endpoint and shows its secret once', async () => {
  signInAs();
  const create = {
    request: {
      query: CreateWebhookEndpointDocument,
      variables: { input: { name: 'Billing', url: 'https://billing.example.com', kinds: [], enabled: true } },
    },
    result: {
      data: { createWebhookEndpoint: { __typename: 'CreateWebhookEndpointPayload', secret: 'whsec_c2VjcmV0' } },
    },
  };
  await list([endpoints(), create]);
  await screen.findByText('No endpoints yet');
  fireEvent.click(screen.getByRole('button', { name: 'Add endpoint' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Add endpoint' }));
  fireEvent.change(drawer.getByRole('textbox', { name: /Name/ }), { target: { value: 'Billing' } });
  fireEvent.change(drawer.getByRole('textbox', { name: /Address/ }), {
    target: { value: 'https://billing.example.com' },
  });
  fireEvent.click(drawer.getByRole('button', { name: 'Add endpoint' }));
  const secret = within(await screen.findByRole('dialog', { name: 'Signing secret' }));
  secret.getByText('whsec_c2VjcmV0');
});

it('says that endpoints could not be loaded', async () => {
  signInAs();
  const failing = {
    request: { query: WebhookEndpointsDocument, variables: () => true },
    result: { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL_ERROR' } }] },
    maxUsageCount: 9,
  };
  await list([failing]);
  await screen.findByText('The list could not be loaded');
});

const delivery = {
  __typename: 'WebhookDelivery',
  id: '5',
  endpointId: 1,
  eventId: 'evt_1',
  kind: 'payment.paid',
  state: 'FAILED',
  tries: 12,
  createdAt: '2026-11-20T14:05:00.000Z',
  triedAt: '2026-11-23T14:05:00.000Z',
  nextAt: null,
  status: 503,
  durationMs: 12,
  request: '{"type":"payment.paid"}',
  response: 'no room',
  failure: 'STATUS',
};

it('shows request and response of a delivery, and sends it again', async () => {
  signInAs();
  const resend = {
    request: { query: ResendWebhookDocument, variables: { id: '5' } },
    result: jest.fn(() => ({
      data: { resendWebhook: { __typename: 'ResendWebhookPayload', delivery: { ...delivery, state: 'PENDING' } } },
    })),
  };
  await renderScreen({
    path: '/webhook/delivery',
    routes: [{ path: '/webhook/delivery', element: <WebhookDeliveryListScreen /> }],
    mocks: [
      endpoints(endpoint(1)),
      answers(WebhookDeliveriesDocument, {
        webhookDeliveries: { __typename: 'WebhookDeliveryPage', totalCount: 1, items: [delivery] },
      }),
      resend,
    ] as never,
  });
  const row = await rowOf('payment.paid');
  await row.findByText('System 1');
  expect(toneOf(row.getByText(/^Failed/))).toBe('red');
  fireEvent.click(row.getByText('payment.paid'));
  const drawer = within(await screen.findByRole('dialog', { name: 'payment.paid' }));
  drawer.getByText('no room');
  drawer.getByText('The endpoint responded with an error');
  drawer.getByText(/"type": "payment.paid"/);
  fireEvent.click(drawer.getByRole('button', { name: 'Send again' }));
  await screen.findByText('The event is sent again');
  expect(resend.result).toHaveBeenCalledTimes(1);
});

it('opens the delivery of a shared link on whatever page of the list it is, and says when there is none', async () => {
  signInAs();
  const page = (items: readonly object[], inSecond: boolean) => ({
    request: {
      query: WebhookDeliveriesDocument,
      variables: ({ filter }: { filter: { created: { until?: string | null } } }) =>
        (filter.created.until === '2026-11-20T14:05:01.000Z') === inSecond,
    },
    result: { data: { webhookDeliveries: { __typename: 'WebhookDeliveryPage', totalCount: 90, items } } },
    maxUsageCount: 9,
  });
  const at = Date.parse(delivery.createdAt) / 1000;
  const visit = (row: string) =>
    renderScreen({
      path: `/webhook/delivery?row=${row}&rowAt=${String(at)}`,
      routes: [{ path: '/webhook/delivery', element: <WebhookDeliveryListScreen /> }],
      mocks: [endpoints(endpoint(1)), page([{ ...delivery, id: '70' }], false), page([delivery], true)] as never,
    });
  const { unmount, location } = await visit('5');
  fireEvent.click(
    within(await screen.findByRole('dialog', { name: 'payment.paid' })).getByRole('button', { name: 'Close' }),
  );
  expect(location()).toBe('/webhook/delivery');
  fireEvent.click((await rowOf('payment.paid')).getByText('payment.paid'));
  expect(location()).toBe(`/webhook/delivery?row=70&rowAt=${String(at)}`);
  unmount();
  await visit('6');
  await screen.findByText('The linked entry was not found');
});

it('sends all events of an endpoint again that the filters match', async () => {
  signInAs();
  const resend = {
    request: {
      query: ResendWebhooksDocument,
      variables: {
        input: {
          endpointId: 1,
          states: ['FAILED'],
          kinds: ['PAYMENT_PAID'],
          created: { from: '2026-11-01T00:00:00.000Z', until: '2026-11-02T00:00:00.000Z' },
        },
      },
    },
    result: jest.fn(() => ({
      data: { resendWebhooks: { __typename: 'ResendWebhooksPayload', count: 300 } },
    })),
  };
  await renderScreen({
    path: '/webhook/delivery?endpoint=1&state=FAILED&kind=PAYMENT_PAID&from=1793491200&to=1793577600',
    routes: [{ path: '/webhook/delivery', element: <WebhookDeliveryListScreen /> }],
    mocks: [
      endpoints(endpoint(1)),
      answers(WebhookDeliveriesDocument, {
        webhookDeliveries: { __typename: 'WebhookDeliveryPage', totalCount: 0, items: [] },
      }),
      resend,
    ] as never,
  });
  await screen.findByText('System 1');
  fireEvent.click(screen.getByRole('button', { name: /More/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Send all again' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Send all again?' }));
  fireEvent.click(question.getByRole('button', { name: 'Send all again' }));
  await screen.findByText('300 events are sent again');
  expect(resend.result).toHaveBeenCalledTimes(1);
});
