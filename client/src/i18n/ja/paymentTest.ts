/** The test of the payment settings. */
export const paymentTest = {
  title: 'ゲートウェイのテスト',
  hint: '保存済みの設定を使用します。支払いは発生しません。',
  run: '支払いをテスト',
  works: '正常',
  unsure: '要確認',
  fails: '失敗',
  reply: 'ゲートウェイの応答：{{text}}',
  outcomes: {
    WORKS: 'ゲートウェイはこの加盟店とキーを受け付け、支払いを{{address}}に通知します。',
    CALLBACK_NOT_PUBLIC:
      'ゲートウェイはこのキーを受け付けますが、{{address}}に支払いを通知できません。サーバーアドレスまたはコールバックアドレスを公開アドレスにしてください。',
    CALLBACK_MISSING:
      'キーは正しいですが、ゲートウェイは{{address}}に支払いを通知しません。ゲートウェイでWebhookを追加してください。',
    NOT_CONFIGURED: '先にゲートウェイの設定を入力して保存してください。',
    ADDRESS_REFUSED:
      'このサーバーからこのアドレスは呼び出せません。プライベートアドレスか、許可されていないポートです。',
    UNREACHABLE: 'ゲートウェイURLに接続できません。',
    TIMED_OUT: 'ゲートウェイが10秒以内に応答しませんでした。',
    TLS_FAILED: 'ゲートウェイURLの証明書が無効です。',
    NOT_A_GATEWAY:
      'このアドレスは応答しますが、決済ゲートウェイではありません。ゲートウェイURLのパスを確認してください。',
    WRONG_KEY: 'ゲートウェイが署名を拒否しました。キーが正しくありません。',
    UNKNOWN_MERCHANT: 'ゲートウェイにこの加盟店IDが登録されていません。',
    MERCHANT_DISABLED: 'この加盟店はゲートウェイで無効になっています。',
    UNCLEAR: '正しい署名にも誤った署名にも同じ応答が返されます。少額の支払いでキーを確認してください。',
  },
};
