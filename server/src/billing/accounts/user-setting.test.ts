import { Secrets } from '../../shared/secrets.js';
import { UserSettings } from '../../billing/accounts/index.js';

const settings = new UserSettings(new Secrets('an encryption key'));

it('seals the webhook secret, and reads it again', () => {
  const setting = { notifyType: 'webhook', webhookUrl: 'https://x.yz', webhookSecret: 'word' } as const;
  const stored = settings.stored(setting);
  expect(JSON.stringify(stored)).not.toContain('word');
  expect(settings.read(stored)).toMatchObject(setting);
});

it('stores nothing for a field without a value, and reads the defaults', () => {
  const none = settings.read({});
  expect(none).toEqual({
    notifyType: 'email',
    quotaWarningThreshold: null,
    webhookUrl: '',
    webhookSecret: '',
    notificationEmail: '',
    acceptUnsetModelRatioModel: false,
    recordIpLog: false,
    displayCurrency: null,
    timeZone: null,
  });
  expect(settings.stored(none)).toEqual({ notifyType: 'email', acceptUnsetModelRatioModel: false });
});
