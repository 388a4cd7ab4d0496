import type { Permission } from '../../shared/permission.js';

/** The rights that a permission gives, as the schema describes them. */
export const permissionTexts: { readonly [Name in Permission]: string } = {
  'channels.read': 'Read channels with their settings, without their keys.',
  'channels.write':
    'Create, change, test and delete channels. To change where stored keys are sent needs CHANNELS_SECRETS as well.',
  'channels.secrets':
    'Read the keys of channels; with CHANNELS_WRITE, change address, type, proxy and headers, to which they are sent.',
  'users.read': 'Read users, their API keys without the text, and their sessions.',
  'users.write': 'Create, edit, ban and delete users below the caller’s role, set their passwords, end their sessions.',
  'users.quota': 'Grant quota to users and take it; with OPTIONS, set gifts such as the daily check-in.',
  'users.keys': 'Create API keys for users below the caller’s role, and change, rotate and delete theirs.',
  budgets: 'Read and change budgets of users, groups, channels and the site.',
  prices: 'Set prices of models and ratios of groups; read former prices and sales below cost.',
  'prices.sync': 'Check public price lists, apply and undo their prices, and replay calls at other prices.',
  payments: 'Read orders of all users, and revenue.',
  'payments.settings': 'Set the payment gateway, the exchange rate and the smallest top-up.',
  codes: 'Create, change and delete redemption and gift codes.',
  'logs.read': 'Read log rows of all users and calls in flight, without texts of calls.',
  'logs.delete': 'Delete log rows.',
  'logs.content': 'Read texts of calls that log rows have while the option LogChatContentEnabled is on.',
  'logs.captures': 'Read captured prompts and responses.',
  'tasks.read': 'Read drawings and creative tasks of all users, with their prompts.',
  'usage.read': 'Read usage, costs and growth of the whole site, and save dashboards.',
  options: 'Read all settings, and change those that admins may change.',
  alerts: 'Read alerts of the site, and mark them as seen.',
  webhooks: 'Follow events of the site, and choose the addresses to which they are sent.',
  audit: 'Read and export the audit log.',
};
