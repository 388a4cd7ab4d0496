import { siteStatus } from './status.js';

it('keeps the older names of the status, which browser extensions read, when the console writes its own', () => {
  localStorage.setItem(
    'status',
    JSON.stringify({ system_name: 'Old', min_topup: 5, github_client_id: 'Iv1.a', setup: true }),
  );
  siteStatus.set({
    ...siteStatus.get(),
    systemName: 'Gate',
    chatLinks: [{ name: 'Local', link: 'https://chat.example' }],
  });
  expect(JSON.parse(localStorage.getItem('status') ?? '')).toMatchObject({
    system_name: 'Gate',
    min_topup: 5,
    github_client_id: 'Iv1.a',
    chats: [{ Local: 'https://chat.example' }],
  });
});
