/** Texts of the list of first steps of a fresh site. */
export const firstSteps = {
  title: '开始使用',
  progress: '已完成 {{done}} / {{count}}',
  dismiss: '隐藏开始使用',
  done: '已完成',
  open: '未完成',
  channel: '添加渠道',
  channelHint: '填写供应商的密钥和它提供的模型。',
  test: '测试渠道',
  testHint: '发送一次简短的调用，确认供应商接受该密钥。',
  price: '设置模型价格',
  priceHint: '用户只能调用已定价的模型。',
  token: '创建令牌',
  tokenHint: '程序使用它的密钥调用本站。',
  call: '完成第一次调用',
  callHint: '在操练场中，或在程序中。',
};
