import { Secrets } from '../../shared/secrets.js';
import { UserSettings, withoutSecrets } from './user-setting.js';

const settings = new UserSettings(new Secrets('an encryption key'));
const wire = {
  notify_type: 'webhook',
  quota_warning_threshold: 5,
  webhook_url: 'https://x.yz',
  webhook_secret: 'word',
};

it('seals the webhook secret and shows it to its owner alone', () => {
  const column = settings.toColumn(wire);
  expect(column).not.toContain('word');
  expect(JSON.parse(column)).not.toHaveProperty('webhook_secret');
  expect(settings.read(column)).toMatchObject({ notifyType: 'webhook', webhookSecret: 'word' });
  expect(JSON.parse(settings.shown(column))).toEqual(wire);
});

it('shows nobody else that there is one', () => {
  for (const column of [settings.toColumn(wire), JSON.stringify(wire)]) {
    expect(JSON.parse(withoutSecrets(column))).toEqual({
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: 'https://x.yz',
    });
  }
});

it('reads what an older console wrote, and writes it anew', () => {
  const column = JSON.stringify(wire);
  expect(settings.read(column)).toMatchObject({ webhookSecret: 'word' });
  const resealed = settings.resealed(column) ?? '';
  expect(resealed).not.toContain('word');
  expect(settings.read(resealed)).toEqual(settings.read(column));
  expect(settings.resealed(resealed)).toBeNull();
});

it('reads a display currency and a zone, and leaves out those it does not know', () => {
  const known = { display_currency: 'local', time_zone: 'America/New_York' };
  expect(settings.read(JSON.stringify(known))).toMatchObject({
    displayCurrency: 'local',
    timeZone: 'America/New_York',
  });
  for (const keys of [
    { display_currency: 'EUR', time_zone: 'Mars/Olympus' },
    { display_currency: 5, time_zone: '+08:00' },
  ]) {
    expect(settings.read(JSON.stringify(keys))).toMatchObject({ displayCurrency: null, timeZone: null });
  }
});

it.each(['', 'null', '[]', '{', '"x"', '5', '{"webhook_secret":5,"notify_type":{}}'])(
  'takes %j for nothing said',
  (column) => {
    expect(settings.read(column)).toEqual({
      notifyType: 'email',
      quotaWarningThreshold: null,
      webhookUrl: '',
      webhookSecret: '',
      notificationEmail: '',
      acceptUnsetModelRatioModel: false,
      displayCurrency: null,
      timeZone: null,
    });
  },
);
