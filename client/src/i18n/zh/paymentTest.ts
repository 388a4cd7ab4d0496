/** The test of the payment settings. */
export const paymentTest = {
  title: '测试网关',
  hint: '使用已保存的设置，不产生付款。',
  run: '测试支付',
  works: '正常',
  unsure: '待确认',
  fails: '失败',
  reply: '网关返回：{{text}}',
  outcomes: {
    WORKS: '网关接受此商户和密钥，并会把付款结果通知到 {{address}}。',
    CALLBACK_NOT_PUBLIC: '网关接受此密钥，但无法通知到 {{address}}。请把服务器地址或回调地址设为公网地址。',
    NOT_CONFIGURED: '请先填写并保存网关地址、商户编号和密钥。',
    ADDRESS_REFUSED: '此服务器不会访问该地址：地址为内网，或端口不在允许范围内。',
    UNREACHABLE: '无法连接网关地址。',
    TIMED_OUT: '网关在 10 秒内没有响应。',
    TLS_FAILED: '网关地址的证书无效。',
    NOT_A_GATEWAY: '该地址有响应，但不是支付网关。请检查网关地址的路径。',
    WRONG_KEY: '网关拒绝签名：密钥错误。',
    UNKNOWN_MERCHANT: '网关没有此商户编号。',
    MERCHANT_DISABLED: '网关已停用此商户。',
    UNCLEAR: '网关对正确和错误的签名返回相同内容。请付一笔小额来确认密钥。',
  },
};
