/** Texts of the list of first steps of a fresh site. */
export const firstSteps = {
  title: 'First steps',
  progress: '{{done}} of {{count}} done',
  dismiss: 'Hide the first steps',
  done: 'Done',
  open: 'Open',
  channel: 'Add a channel',
  channelHint: 'The key of a provider, and the models that it serves.',
  test: 'Test the channel',
  testHint: 'A short call shows whether the provider accepts the key.',
  price: 'Set the price of a model',
  priceHint: 'Users can call only models that have a price.',
  token: 'Create a token',
  tokenHint: 'Programs call the site with its key.',
  call: 'Make the first call',
  callHint: 'In the playground, or from a program.',
};
